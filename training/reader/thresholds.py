"""Fit what ``reader.json`` holds: the temperature of each head, and the thresholds of ``reading.decide``.

Temperatures make the held-out rows likeliest (Guo et al., 2017). Thresholds maximize right minus twice the wrong way
round on held-out pages, with at most 7% the wrong way round among the statements of each side. Half of the pages are of
public sets, half are invented (``held.txt``). Half have two to ten sentences; the others have ten to twenty more, of
other pages.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.pages.page import Passage
from system.reader.openvino import OpenVinoReader
from system.reader.reading import read_pages
from system.settings import load
from training.reader.claims import labelled_claims
from training.reader.export import write_config
from training.reader.invented import invented_apart
from training.reader.mixture import mixture
from training.reader.pairs import FACTUAL, NOT_ENOUGH, REFUTED, SUPPORTED, Pair, sentences_of

WRONG = 0.07  # share of a side's statements that may be called the other side
Scores = NDArray[np.float64]


def fit(*, reader: Path, sets: Path, claims: Path, pages: int = 900) -> str:
    """Fit and write the configuration of an exported reader; return the figures on the held-out pages.

    Args:
        reader: folder that export wrote.
        sets: folder of entailment sets.
        claims: AVeriTeC's train split.
        pages: held-out pages to read.

    Raises:
        TrainingError, ClaimsError: the sets or the claims cannot be read.
        ReaderUnavailable: the folder holds no exported reader.
    """
    write_config(reader, {"reading": 1.0, "label": 1.0}, (0.7, 0.7))
    judge, rng = OpenVinoReader(reader), Random(0)
    public = [pair for pair in mixture(sets, 0)[1] if pair.source in (*FACTUAL, "edits") and not pair.two_way]
    chosen = [one for kind in (public, invented_apart()) for one in rng.sample(kind, min(pages // 2, len(kind)))]
    logits = np.log(judge.probabilities([(pair.evidence, pair.statement) for pair in chosen]))
    reading = temperature(logits, [pair.label for pair in chosen])
    _, labelled = labelled_claims(claims, 0)
    logits = np.log(judge.labels([(one.evidence, one.statement) for one in labelled]))
    label = temperature(logits, [one.label for one in labelled])
    write_config(reader, {"reading": reading, "label": label}, (0.7, 0.7))
    judge = OpenVinoReader(reader)
    encoder = SentenceEncoder.of(load("laptop", {}).retrieval)
    scores = np.array([_page_scores(judge, encoder, pair, chosen, rng) for pair in tqdm(chosen, unit="page")])
    truth = np.array([pair.label for pair in chosen])
    thresholds = best_thresholds(scores, truth)
    write_config(reader, {"reading": reading, "label": label}, thresholds)
    right, turned = outcome(scores, truth, thresholds)
    return (
        f"temperature {reading:.2f} and {label:.2f}; thresholds {thresholds[0]:.2f} and {thresholds[1]:.2f}: "
        f"{right.mean():.3f} of {len(truth)} pages right, {turned[truth < 2].mean():.3f} of the decidable ones turned"
    )


def temperature(logits: NDArray[np.float32], labels: Sequence[int]) -> float:
    """Return the temperature that makes these labels likeliest: logits (n, labels)."""

    def loss(log_temperature: float) -> float:
        return float(-log_softmax(logits / np.exp(log_temperature), axis=1)[np.arange(len(labels)), labels].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").x))


def best_thresholds(scores: Scores, truth: NDArray[np.int64]) -> tuple[float, float]:
    """Return the thresholds of supported and refuted: scores (n, 2) of pages, truth (n,)."""

    def value(pair: tuple[float, float]) -> float:
        right, turned = outcome(scores, truth, pair)
        share = max(turned[truth == side].mean() for side in (SUPPORTED, REFUTED) if side in truth)
        return float(right.mean() - 2 * turned.mean() - 100 * max(0.0, float(share) - WRONG))

    grid = np.arange(0.34, 0.97, 0.02).round(2).tolist()
    return max(product(grid, grid), key=value)


def outcome(
    scores: Scores, truth: NDArray[np.int64], thresholds: Sequence[float]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each page is right, and whether it is the wrong way round, if ``reading.decide`` reads it alone."""
    supported, refuted = scores.T
    supports = supported >= thresholds[0]
    refutes = (refuted >= thresholds[1]) & ~supports
    said = np.where(supports, SUPPORTED, np.where(refutes, REFUTED, NOT_ENOUGH))
    return said == truth, (said + truth == 1) & (said != truth)


def _page_scores(
    reader: OpenVinoReader, encoder: Encoder, pair: Pair, others: Sequence[Pair], rng: Random
) -> list[float]:
    """The strongest support and refutation on a page made of the pair's evidence, half of the time among more."""
    lines = sentences_of(pair.evidence)
    if rng.random() < 0.5:
        near = [line for other in rng.sample(list(others), 12) for line in sentences_of(other.evidence)][
            : rng.randint(10, 20)
        ]
        at = rng.randint(0, len(near))
        lines = [*near[:at], *lines, *near[at:]]
    pages = read_pages(reader, encoder, pair.statement, [Passage(" ".join(lines), "page", 0, 0)])
    supported = max((page.supporting.supported for page in pages), default=0.0)
    return [supported, max((page.refuting.refuted for page in pages), default=0.0)]
