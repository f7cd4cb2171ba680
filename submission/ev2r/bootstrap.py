"""Means with their bootstrap confidence intervals."""

from collections.abc import Sequence

import numpy as np

from system.records import Record

RESAMPLES = 2000
LEVEL = 0.95
SEED = 1


class Estimate(Record):
    """A mean over claims with its percentile bootstrap interval at 95 % (Efron and Tibshirani, 1993, chapter 13)."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of at least one value; the same values always give the same interval."""
    numbers = np.asarray(values, dtype=float)
    draws = np.random.default_rng(SEED).integers(len(numbers), size=(RESAMPLES, len(numbers)))
    low, high = np.quantile(numbers[draws].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean=float(numbers.mean()), low=float(low), high=float(high))
