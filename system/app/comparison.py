"""What strategies are compared by: scores with confidence intervals, and what they cost.

Intervals come from a paired bootstrap over claims (Efron and Tibshirani, 1993): all strategies are scored on the same
resamples, so that a difference between two of them is not drowned in the difficulty of the claims. Of several
repeats, a claim counts with its mean.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from system.machine import describe
from system.records import ClaimResult, Label, Record

RESAMPLES = 2000
SEED = 20260
LEVEL = 0.95


class Interval(Record):
    """A value with the ends of its confidence interval."""

    value: float
    low: float
    high: float


class Scores(Record):
    """How one strategy did.

    Attributes:
        difference: accuracy less that of the first strategy of the comparison.
        false_positive_rates: by label, the share of the claims of other labels that were given it (DebateCV, table 4).
        rounds, calls, tokens_in, tokens_out, seconds: means a claim.
        failures: failures that were survived, a claim.
    """

    strategy: str
    repeats: int
    accuracy: Interval
    difference: Interval
    macro_f1: Interval
    false_positive_rates: dict[Label, float]
    rounds: float
    calls: float
    tokens_in: float
    tokens_out: float
    seconds: float
    failures: float
    cut_short: float


def compare(gold: Sequence[Label], runs: dict[str, list[list[ClaimResult]]]) -> list[Scores]:
    """Score strategies on the same claims.

    Args:
        gold: label of each claim.
        runs: for each strategy its repeats, each with one result a claim, in the order of ``gold``.
    """
    names = list(Label)
    truth = np.array([names.index(label) for label in gold])
    draws = np.random.default_rng(SEED).integers(len(gold), size=(RESAMPLES, len(gold)))
    predicted = {
        strategy: np.array([[names.index(result.verdict.label) for result in repeat] for repeat in repeats])
        for strategy, repeats in runs.items()
    }
    correct = {strategy: (labels == truth).mean(axis=0) for strategy, labels in predicted.items()}
    first = next(iter(correct.values()))
    return [
        Scores(
            strategy=strategy,
            repeats=len(repeats),
            accuracy=_mean(correct[strategy], draws),
            difference=_mean(correct[strategy] - first, draws),
            macro_f1=_macro_f1(truth, predicted[strategy], draws),
            false_positive_rates=_false_positive_rates(truth, predicted[strategy]),
            **_costs([result for repeat in repeats for result in repeat]),
        )
        for strategy, repeats in runs.items()
    ]


def save_comparison(
    folder: Path, scores: Sequence[Scores], runs: dict[str, list[list[ClaimResult]]], facts: dict[str, Any]
) -> None:
    """Write ``comparison.json``, the scores with the machine, and ``comparison.jsonl``, each claim's verdicts."""
    folder.mkdir(parents=True, exist_ok=True)
    report = {**facts, "scores": [one.model_dump(mode="json") for one in scores], "machine": describe()}
    (folder / "comparison.json").write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2))
    rows = (
        {
            "claim_id": result.claim.id,
            "strategy": strategy,
            "repeat": number,
            **result.verdict.model_dump(mode="json"),
            "timing": result.timing.model_dump(mode="json"),
        }
        for strategy, repeats in runs.items()
        for number, results in enumerate(repeats)
        for result in results
    )
    with (folder / "comparison.jsonl").open("wb") as file:
        file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def macro_f1(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean F1 of the four labels; as in the submission's scores, one that never occurs counts 0.

    Args:
        truth: (..., claims) numbers of labels.
        predicted: the same shape.

    Returns:
        One score for each row, (...,).
    """
    labels = len(Label)
    *rows, claims = truth.shape
    offsets = np.arange(max(1, truth.size // max(1, claims)))[:, None] * labels**2
    cells = (truth * labels + predicted).reshape(-1, claims) + offsets
    confusion = np.bincount(cells.ravel(), minlength=offsets.size * labels**2).reshape(*rows, labels, labels)
    totals = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    return np.asarray((2 * hits / np.maximum(1, totals)).mean(axis=-1))


def _mean(values: NDArray[np.float64], draws: NDArray[np.int64]) -> Interval:
    return _interval(float(values.mean()), values[draws].mean(axis=1))


def _macro_f1(truth: NDArray[np.int64], predicted: NDArray[np.int64], draws: NDArray[np.int64]) -> Interval:
    value = np.mean([macro_f1(truth, labels) for labels in predicted])
    return _interval(float(value), np.mean([macro_f1(truth[draws], labels[draws]) for labels in predicted], axis=0))


def _interval(value: float, resampled: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value=value, low=float(low), high=float(high))


def _false_positive_rates(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[Label, float]:
    rates = {}
    for index, label in enumerate(Label):
        others = predicted[:, truth != index]
        rates[label] = float((others == index).mean()) if others.size else 0.0
    return rates


def _costs(results: Sequence[ClaimResult]) -> dict[str, float]:
    timings = [result.timing for result in results]
    columns: dict[str, list[float]] = {
        "rounds": [timing.rounds for timing in timings],
        "calls": [timing.cost.calls for timing in timings],
        "tokens_in": [timing.cost.tokens_in for timing in timings],
        "tokens_out": [timing.cost.tokens_out for timing in timings],
        "seconds": [timing.seconds for timing in timings],
        "failures": [len(result.failures) for result in results],
        "cut_short": [timing.cut_short for timing in timings],
    }
    return {name: float(np.mean(values)) for name, values in columns.items()}
