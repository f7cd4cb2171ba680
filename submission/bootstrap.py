"""Percentile bootstrap over claims (Efron and Tibshirani, 1993, chapter 13), paired: all systems share the resamples.

A statistic is computed for the claims as they are and for each resample. The difference of two statistics is then
paired, so that the difficulty of the claims cancels out.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from system.graph.records import Record

RESAMPLES = 2000
LEVEL = 0.95
SEED = 1

Draws = NDArray[np.float64]
"""A statistic of the claims as they are, then of each resample; (1 + RESAMPLES,)."""


class Estimate(Record):
    """A statistic over claims with its 95% interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, draws: Draws) -> Self:
        """Summarize draws."""
        low, high = np.quantile(draws[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return cls(mean=float(draws[0]), low=float(low), high=float(high))


class Resamples:
    """How often each of some claims occurs in each resample; the same number of claims always gives the same ones."""

    def __init__(self, claims: int) -> None:
        counts = np.random.default_rng(SEED).multinomial(claims, np.full(claims, 1 / claims), size=RESAMPLES)
        self._counts = np.vstack([np.ones(claims), counts])

    def means(self, values: ArrayLike) -> Draws:
        """Return the means of one value a claim."""
        numbers = np.asarray(values, dtype=float)
        return np.asarray(self._counts @ numbers / len(numbers))

    def macro_f1(self, gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str]) -> Draws:
        """Return the mean F1 of some labels; one that never occurs counts 0, as for ``submission.score``."""
        true, found = (np.asarray(side)[:, None] == np.asarray(labels) for side in (gold, predicted))
        hits, total = self._counts @ (true & found), self._counts @ (true.astype(float) + found)
        return np.asarray((2 * hits / np.where(total, total, 1)).mean(axis=1))


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of at least one value; the same values always give the same interval."""
    return Estimate.of(Resamples(len(values)).means(values))
