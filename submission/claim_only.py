"""``python -m submission claim-only``: a baseline that sees no evidence, to put beside verdicts with evidence.

A multinomial logistic regression on the encoder's vectors of a claim and of its metadata. Its regularization is chosen
on the later 30% of the training claims, because AVeriTeC's splits follow one another in time.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegressionCV

from knowledge_store.dense.encoder import Encoder, EncoderUnavailable, SentenceEncoder
from knowledge_store.settings import RetrievalSettings
from submission.files import SubmissionError
from submission.score import label_scores
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import Label

EARLIER = 0.7  # share of the training claims that the others are predicted from
STRENGTHS = (0.1, 0.2, 0.3, 0.5, 1.0)  # inverse, as scikit-learn's C


def claim_only(train_file: Path, gold_file: Path) -> Iterator[str]:
    """Fit the regression, and yield its scores in words."""
    train, gold = read_gold(train_file), read_gold(gold_file)
    try:
        encoder = SentenceEncoder.of(RetrievalSettings())
    except EncoderUnavailable as error:
        raise SubmissionError(str(error)) from None
    train.sort(key=lambda one: one.claim.day or date.min)
    labels = [str(one.label) for one in train]
    if set(labels[: round(EARLIER * len(labels))]) != set(labels) or len(set(labels)) < 2:
        raise SubmissionError(
            f"{train_file}: expected at least two labels, each among the earlier {EARLIER:.0%} of the claims, "
            f"got {len(set(labels))} in {len(labels)} claims; learn from a whole split"
        )
    model = fit(features(train, encoder), np.array(labels))
    truth, found = [str(one.label) for one in gold], model.predict(features(gold, encoder)).tolist()
    choice = f"C = {model.C_}, chosen on the later {1 - EARLIER:.0%} of {len(train)} claims"
    for name, answers in ((f"{choice}; {len(gold)} others", found), ('always "Refuted"', [Label.REFUTED] * len(gold))):
        scores = label_scores(truth, list(map(str, answers)))
        each = ", ".join(f"{label} {score.f1:.3f}" for label, score in scores.labels.items())
        yield f"{name}:"
        yield f"  accuracy {scores.accuracy:.3f}, macro-F1 {scores.macro_f1:.3f}; F1: {each}"


def fit(vectors: NDArray[np.float32], labels: NDArray[np.str_]) -> LogisticRegressionCV:
    """Fit the regression with the C with which the earlier claims predict the later ones best, by log loss."""
    earlier, later = np.split(np.arange(len(labels)), [round(EARLIER * len(labels))])
    model = LogisticRegressionCV(
        Cs=STRENGTHS,
        cv=[(earlier, later)],
        scoring="neg_log_loss",
        l1_ratios=(0,),
        max_iter=3000,
        use_legacy_attributes=False,
    )
    return model.fit(vectors, labels)


def features(claims: Sequence[GoldClaim], encoder: Encoder) -> NDArray[np.float32]:
    """Encode text and metadata side by side, (claims, 2 × dimension)."""
    texts = [one.claim.text for one in claims]
    metadata = [" | ".join(value for key, value in one.claim.metadata.items() if key != "claim_date") for one in claims]
    return np.hstack([encoder.encode(texts), encoder.encode(metadata)])
