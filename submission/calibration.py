"""Calibration: make a confidence mean what it says, a probability that the label is right (Guo et al., 2017).

The fit is isotonic (Zadrozny and Elkan, 2002): it follows the data, but never reverses the order of two claims.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from submission.files import SubmissionError
from system.graph.records import Calibration

Numbers = NDArray[np.float64]

BINS = 10
FOLDS = 5
GRID = np.linspace(0.0, 1.0, 101)


class Bin(NamedTuple):
    """Claims of similar confidence, with their mean confidence and their accuracy."""

    claims: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class CalibrationReport:
    """A fit and how well it holds."""

    accuracy: float
    before: list[Bin]  #: the claims by confidence
    after: list[Bin]  #: the same out of fold, so that no claim is judged by a fit that has seen it
    calibration: Calibration


def _fit(confidences: Numbers, right: NDArray[np.bool_]) -> IsotonicRegression:
    """Fit as if one more of the surest claims had been wrong and one of the least sure right.

    Without these, the fit would be certain at an end where a few claims are all right, or all wrong.
    """
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    return model.fit(np.concatenate([confidences, [confidences.max(), confidences.min()]]), [*right, 0, 1])


def calibrate(confidences: Sequence[float], labels_right: Sequence[bool]) -> CalibrationReport:
    """Fit a calibration on claims of which it is known whether their label is right."""
    given, right = np.asarray(confidences, dtype=np.float64), np.asarray(labels_right)
    if min(right.sum(), (~right).sum()) < FOLDS:
        raise SubmissionError(
            f"expected at least {FOLDS} right and {FOLDS} wrong claims to fit on, "
            f"got {right.sum()} right of {len(right)}; calibrate on a larger labeled split"
        )
    held_out = np.empty_like(given)
    for seen, unseen in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(given, right):
        held_out[unseen] = _fit(given[seen], right[seen]).predict(given[unseen])
    probabilities = _fit(given, right).predict(GRID)
    return CalibrationReport(
        accuracy=float(right.mean()),
        before=reliability(given, right),
        after=reliability(held_out, right),
        calibration=Calibration(confidences=tuple(GRID.tolist()), probabilities=tuple(probabilities.tolist())),
    )


def reliability(confidences: Numbers, right: NDArray[np.bool_]) -> list[Bin]:
    """Return the bins of equal width that hold claims, the least confident first."""
    places = np.minimum((confidences * BINS).astype(int), BINS - 1)
    held = [places == place for place in np.unique(places)]
    return [Bin(int(one.sum()), float(confidences[one].mean()), float(right[one].mean())) for one in held]


def expected_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: mean distance of confidence and accuracy over bins, by their claims."""
    return sum(one.claims * abs(one.confidence - one.accuracy) for one in bins) / sum(one.claims for one in bins)


def print_calibration(report: CalibrationReport, console: Console) -> None:
    """Print accuracy by confidence, before and after."""
    for name, bins in (("before", report.before), ("after, out of fold", report.after)):
        error = expected_error(bins)
        console.print(f"{name}: expected calibration error {error:.3f}, accuracy {report.accuracy:.3f}", soft_wrap=True)
        table = Table("claims", "mean confidence", "accuracy")
        for one in bins:
            table.add_row(str(one.claims), f"{one.confidence:.3f}", f"{one.accuracy:.3f}")
        console.print(table)
