"""Calibration: make a confidence mean what it says, a probability that the label is right (Guo et al., 2017).

The fit is isotonic (Zadrozny and Elkan, 2002): it may bend as the data want, but never turns the order of two claims.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from submission.files import SubmissionError
from system.records import Calibration, Label, Record

Numbers = NDArray[np.float64]

BINS = 10
FOLDS = 5
GRID = np.linspace(0.0, 1.0, 101)


class Bin(Record):
    """Claims of similar confidence: how sure the system was on average, and how often it was right."""

    claims: int
    confidence: float
    accuracy: float


class CalibrationReport(Record):
    """A fit and how well it holds.

    Attributes:
        before, after: expected calibration error. "After" is measured out of fold: no claim is judged by a fit that
            has seen it.
        bins_before, bins_after: the reliability diagram.
    """

    claims: int
    accuracy: float
    before: float
    after: float
    bins_before: tuple[Bin, ...]
    bins_after: tuple[Bin, ...]
    calibration: Calibration


def calibrate(confidences: Sequence[float], predicted: Sequence[str], gold: Sequence[Label]) -> CalibrationReport:
    """Fit a calibration on labelled claims.

    Raises:
        SubmissionError: too few claims, or all of them right or wrong, so that there is nothing to fit.
    """
    given = np.asarray(confidences, dtype=np.float64)
    right = np.array([label == truth for label, truth in zip(predicted, gold, strict=True)])
    if min(right.sum(), (~right).sum()) < FOLDS:
        raise SubmissionError(
            f"expected at least {FOLDS} right and {FOLDS} wrong claims to fit on, "
            f"got {right.sum()} right of {len(right)}; calibrate on a larger labelled split"
        )
    held_out = np.empty_like(given)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(given, right):
        held_out[test] = np.interp(given[test], GRID, _curve(given[train], right[train]))
    values = tuple(float(value) for value in _curve(given, right))
    return CalibrationReport(
        claims=len(given),
        accuracy=float(right.mean()),
        before=expected_error(given, right),
        after=expected_error(held_out, right),
        bins_before=reliability(given, right),
        bins_after=reliability(held_out, right),
        calibration=Calibration(confidences=tuple(GRID.tolist()), probabilities=values),
    )


def expected_error(confidences: Numbers, right: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean distance of confidence and accuracy over bins, weighted by their claims."""
    bins = reliability(confidences, right)
    return sum(one.claims * abs(one.confidence - one.accuracy) for one in bins) / len(confidences)


def reliability(confidences: Numbers, right: NDArray[np.bool_]) -> tuple[Bin, ...]:
    """The bins of equal width that hold claims, the least confident first."""
    places = np.minimum((confidences * BINS).astype(int), BINS - 1)
    return tuple(
        Bin(claims=int(held.sum()), confidence=float(confidences[held].mean()), accuracy=float(right[held].mean()))
        for held in (places == place for place in range(BINS))
        if held.any()
    )


def _curve(confidences: Numbers, right: NDArray[np.bool_]) -> Numbers:
    """The calibrated probability at each point of ``GRID``."""
    fit = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(confidences, right)
    return np.asarray(fit.predict(GRID))
