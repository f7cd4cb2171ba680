"""Fit the verdict of the extractive reader on AVeriTeC's training split.

``python -m training reader --claims train.json --output system/models/extractive/verdict.json``

Each claim is checked with the very strategy and reader of a run, on a store made of gold answers (``pseudo_stores``).
Every judgement that a branch asks for becomes an example: its features, with the label of its claim.
"""

import argparse
import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from knowledge_store.dense.encoder import CachingEncoder, Encoder, SentenceEncoder
from system.gold import REMEDY, GoldClaim, read_gold
from system.models.extractive import ExtractiveModel
from system.models.extractive.findings import findings
from system.models.extractive.similarity import Similarity
from system.models.extractive.verdict import FEATURES, features, speak_of_claim
from system.records import Label
from system.settings import Settings
from system.tasks.judge_claim import JudgeClaim
from training import TrainingError
from training.datasets.runs import judgments, pseudo_stores

BALANCE = 0.5  # weight of a label is its frequency to the power of minus this: 0 ignores rare labels, 1 evens all out
REGULARISATION = 1.0  # inverse strength of the L2 penalty


@dataclass(frozen=True)
class Examples:
    """Judgements to learn from.

    Attributes:
        measured: (examples, features) float64.
        labels: (examples,) the claims' gold labels.
        weights: (examples,) float64; those of one claim sum to 1.
    """

    measured: NDArray[np.float64]
    labels: list[str]
    weights: NDArray[np.float64]


def examples(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> Examples:
    """Check all claims on their pseudo stores and measure every judgement."""
    reader, similarity = ExtractiveModel(encoder), Similarity(encoder)
    rows, labels, weights = [], [], []
    stores = pseudo_stores(claims, encoder, seed)
    for annotated, store in tqdm(zip(claims, stores, strict=True), total=len(claims), unit="claim"):
        tasks = asyncio.run(judgments(annotated.claim, store, encoder, reader, Settings()))
        measured = measure([task for task in tasks if isinstance(task, JudgeClaim)], similarity)
        rows += measured
        labels += [str(annotated.label)] * len(measured)
        weights += [1 / len(measured)] * len(measured)
    return Examples(np.array(rows), labels, np.array(weights))


def measure(tasks: Sequence[JudgeClaim], similarity: Similarity) -> list[NDArray[np.float64]]:
    """The features, (features,) float64, of each judgement that the regression has to make."""
    found = ((task.claim, findings(task.claim.text, task.pairs, similarity)) for task in tasks)
    return [features(claim, sentences).vector() for claim, sentences in found if speak_of_claim(sentences)]


def fit(given: Examples) -> LogisticRegression:
    """Fit the regression; rare labels weigh more (``BALANCE``)."""
    frequency = Counter[str]()
    for label, weight in zip(given.labels, given.weights, strict=True):
        frequency[str(label)] += weight
    total = sum(frequency.values())
    class_weight = {label: (total / (len(frequency) * count)) ** BALANCE for label, count in frequency.items()}
    model = LogisticRegression(C=REGULARISATION, class_weight=class_weight, max_iter=5000)
    return model.fit(given.measured, given.labels, sample_weight=given.weights)


def describe(model: LogisticRegression, provenance: dict[str, Any]) -> dict[str, Any]:
    """The weights as they are shipped."""
    rows = dict(zip(model.classes_, zip(model.intercept_, model.coef_, strict=True), strict=True))
    return {
        "provenance": provenance,
        "labels": {
            str(label): {
                "intercept": round(float(intercept), 4),
                "weights": dict(zip(FEATURES, weights.round(4).tolist(), strict=True)),
            }
            for label, (intercept, weights) in ((label, rows[str(label)]) for label in Label)
        },
    }


def add_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``reader`` to the training commands."""
    reader = commands.add_parser("reader", help="fit the verdict of the extractive reader")
    reader.add_argument("--claims", type=Path, required=True, help="AVeriTeC's train.json, with its annotations")
    reader.add_argument("--output", type=Path, required=True, help="file for the fitted weights (JSON)")
    reader.add_argument("--encoder", default="all-MiniLM-L6-v2", help="bi-encoder (default: %(default)s)")
    reader.add_argument("--seed", type=int, default=1, help="random seed of the choice of pages (default: %(default)s)")
    reader.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    train(options.claims, options.output, options.encoder, options.seed)
    print(f"wrote {options.output}")


def train(claims_file: Path, output: Path, encoder_name: str, seed: int) -> None:
    """Fit on an annotated split and write the weights.

    Raises:
        ClaimsError: the claims are not annotated.
        TrainingError: a label is missing among them.
    """
    claims = [one for one in read_gold(claims_file) if one.claim.text.strip()]  # the official split has a blank one
    if missing := [str(label) for label in Label if all(one.label is not label for one in claims)]:
        raise TrainingError(f"{claims_file}: expected claims of all four labels, got none labeled {missing}; {REMEDY}")
    given = examples(claims, CachingEncoder(SentenceEncoder(encoder_name)), seed)
    provenance = {
        "made by": f"python -m training reader --claims {claims_file.name} --encoder {encoder_name} --seed {seed}",
        "data": "AVeriTeC training split (Schlichtkrull et al., 2023), CC BY-NC 4.0; only fitted numbers are kept",
        "sha256": hashlib.sha256(claims_file.read_bytes()).hexdigest(),
        "seed": seed,
        "claims": dict(Counter(str(one.label) for one in claims)),
        "judgements": len(given.labels),
        "balance": BALANCE,
        "C": REGULARISATION,
        "versions": {name: version(name) for name in ("scikit-learn", "numpy", "sentence-transformers", "HanTa")},
    }
    output.write_text(json.dumps(describe(fit(given), provenance), indent=1) + "\n", encoding="utf-8")
