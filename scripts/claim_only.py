"""How far the claim alone goes: a baseline that sees no evidence, beside which verdicts with evidence are to be read.

Fits a multinomial logistic regression on the encoder's vectors of a claim and of its metadata. How strongly it is
regularized is chosen on the later 30% of the training claims, since AVeriTeC's splits follow one another in time;
then it is fitted on all of them, and prints the label scores of the other split.

Usage: python -m scripts.claim_only TRAIN.json DEV.json
"""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.settings import RetrievalSettings
from submission.score import scores_of
from system.gold import GoldClaim, read_gold
from system.records import Label

EARLIER = 0.7  # share of the training claims that the others are predicted from
STRENGTHS = (0.1, 0.2, 0.3, 0.5, 1.0)  # inverse, as scikit-learn's C


def main() -> None:
    """Choose, fit and score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    args = parser.parse_args()
    encoder = SentenceEncoder.of(RetrievalSettings())
    train, dev = sorted(read_gold(args.train), key=lambda one: one.claim.day or date.min), read_gold(args.dev)
    vectors, labels = features(train, encoder), labels_of(train)
    strength = choose(vectors, labels)
    found = fit(vectors, labels, strength).predict(features(dev, encoder))
    print(f"C = {strength}, chosen on the later {1 - EARLIER:.0%} of {len(train)} claims; {len(dev)} others:")
    report(labels_of(dev), found)
    print('always "Refuted":')
    report(labels_of(dev), np.full(len(dev), str(Label.REFUTED)))


def choose(vectors: NDArray[np.float32], labels: NDArray[np.str_]) -> float:
    """The strength with which the earlier claims predict the later ones best, by log loss."""
    cut = round(EARLIER * len(labels))

    def loss(strength: float) -> float:
        model = fit(vectors[:cut], labels[:cut], strength)
        return float(log_loss(labels[cut:], model.predict_proba(vectors[cut:]), labels=model.classes_))

    return min(STRENGTHS, key=loss)


def features(claims: Sequence[GoldClaim], encoder: Encoder) -> NDArray[np.float32]:
    """Vectors of text and metadata side by side, (claims, 2 × dimension)."""
    texts = [one.claim.text for one in claims]
    metadata = [" | ".join(value for key, value in one.claim.metadata.items() if key != "claim_date") for one in claims]
    return np.hstack([encoder.encode(texts), encoder.encode(metadata)])


def labels_of(claims: Sequence[GoldClaim]) -> NDArray[np.str_]:
    """The gold labels, (claims,)."""
    return np.array([str(one.label) for one in claims])


def fit(vectors: NDArray[np.float32], labels: NDArray[np.str_], strength: float) -> LogisticRegression:
    """The regression."""
    return LogisticRegression(C=strength, max_iter=3000).fit(vectors, labels)


def report(gold: NDArray[np.str_], found: NDArray[np.str_]) -> None:
    """Print accuracy, macro-F1 and the F1 of each label."""
    scores = scores_of(gold.tolist(), found.tolist())
    each = ", ".join(f"{label} {score.f1:.3f}" for label, score in scores.labels.items())
    print(f"  accuracy {scores.accuracy:.3f}, macro-F1 {scores.macro_f1:.3f}; F1: {each}")


if __name__ == "__main__":
    main()
