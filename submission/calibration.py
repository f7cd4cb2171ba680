"""Calibration: make a confidence mean what it says, a probability that the label is right (Guo et al., 2017).

The fit is isotonic (Zadrozny and Elkan, 2002): it follows the data, but never reverses the order of two claims.
"""

import argparse
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
from submission.score import comparable_pairs
from system.files.texts import write_text
from system.graph.records import Calibration, Label
from system.report.charts import ACCENT, HEIGHT, LABEL_COLORS, MUTED, WIDTH, Frame, element, figure, text

Numbers = NDArray[np.float64]

BINS = 10
FOLDS = 5
GRID = np.linspace(0.0, 1.0, 101)
TENTHS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


class Bin(NamedTuple):
    """Claims of similar confidence, with their mean confidence and their accuracy."""

    claims: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class CalibrationReport:
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
    bins_before: list[Bin]
    bins_after: list[Bin]
    calibration: Calibration


def _fit(confidences: Numbers, right: NDArray[np.bool_]) -> IsotonicRegression:
    """Fit as if one more of the surest claims had been wrong and one of the least sure right.

    Without these, the fit would be certain at an end where a few claims are all right, or all wrong.
    """
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    return model.fit(np.concatenate([confidences, [confidences.max(), confidences.min()]]), [*right, 0, 1])


def calibrate(confidences: Sequence[float], predicted: Sequence[str], gold: Sequence[Label]) -> CalibrationReport:
    """Fit a calibration on labeled claims.

    Raises:
        SubmissionError: too few claims, or all of them right or wrong, so that there is nothing to fit.
    """
    given = np.asarray(confidences, dtype=np.float64)
    right = np.array([label == truth for label, truth in zip(predicted, gold, strict=True)])
    if min(right.sum(), (~right).sum()) < FOLDS:
        raise SubmissionError(
            f"expected at least {FOLDS} right and {FOLDS} wrong claims to fit on, "
            f"got {right.sum()} right of {len(right)}; calibrate on a larger labeled split"
        )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    held_out = np.empty_like(given)
    for seen, unseen in folds.split(given, right):
        held_out[unseen] = _fit(given[seen], right[seen]).predict(given[unseen])
    values = _fit(given, right).predict(GRID)
    return CalibrationReport(
        claims=len(given),
        accuracy=float(right.mean()),
        before=expected_error(given, right),
        after=expected_error(held_out, right),
        bins_before=reliability(given, right),
        bins_after=reliability(held_out, right),
        calibration=Calibration(confidences=tuple(GRID.tolist()), probabilities=tuple(values.tolist())),
    )


def expected_error(confidences: Numbers, right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error: mean distance of confidence and accuracy over bins, by their claims."""
    bins = reliability(confidences, right)
    return sum(one.claims * abs(one.confidence - one.accuracy) for one in bins) / len(confidences)


def reliability(confidences: Numbers, right: NDArray[np.bool_]) -> list[Bin]:
    """Return the bins of equal width that hold claims, the least confident first."""
    places = np.minimum((confidences * BINS).astype(int), BINS - 1)
    held = [places == place for place in np.unique(places)]
    return [Bin(int(one.sum()), float(confidences[one].mean()), float(right[one].mean())) for one in held]


def calibrate_command(arguments: argparse.Namespace, console: Console) -> int:
    """Fit, print and save the confidences."""
    met = comparable_pairs(arguments.predictions, arguments.gold)
    confidences = [one.predicted.confidence for one in met]
    if None in confidences:
        raise SubmissionError(f"{arguments.predictions}: expected a confidence for every claim; give a submission.json")
    labels = [(one.predicted.label, one.gold.label) for one in met]
    report = calibrate([given for given in confidences if given is not None], *zip(*labels, strict=True))
    write_text(arguments.output, report.calibration.model_dump_json(indent=2) + "\n")
    diagram = arguments.output.with_suffix(".svg")
    write_text(diagram, draw(report))
    table = Table("", "value", title=f"Calibration on {report.claims} claims", title_justify="left")
    table.add_row("accuracy", f"{report.accuracy:.3f}")
    table.add_row("expected calibration error, before", f"{report.before:.3f}")
    table.add_row("expected calibration error, after (out of fold)", f"{report.after:.3f}")
    console.print(table)
    console.print(f"{arguments.output}\n{diagram}", soft_wrap=True)
    return 0


def draw(report: CalibrationReport) -> str:
    """Draw the reliability diagram: accuracy over confidence, before and after; on the diagonal they are equal."""
    frame = Frame(TENTHS, TENTHS)
    parts = frame.grid("confidence", "")
    parts.append(element("line", x1=frame.x(0), y1=frame.y(0), x2=frame.x(1), y2=frame.y(1), stroke=MUTED))
    parts.append(text(60, 24, "share that is right; expected calibration error", fill=MUTED))
    for x, name, error, bins, color in (
        (340, "before", report.before, report.bins_before, LABEL_COLORS["Refuted"]),
        (450, "after", report.after, report.bins_after, ACCENT),
    ):
        points = [(frame.x(one.confidence), frame.y(one.accuracy), 2 + min(6.0, one.claims**0.5 / 3)) for one in bins]
        line = " ".join(f"{place:.1f},{height:.1f}" for place, height, _ in points)
        parts.append(element("polyline", points=line, fill="none", stroke=color, stroke_width=1.5))
        parts += [element("circle", cx=place, cy=height, r=radius, fill=color) for place, height, radius in points]
        parts.append(text(x, 24, f"{name}: {error:.3f}", fill=color, font_weight="bold"))
    title = f"Reliability of {report.claims} claims, expected calibration error before and after"
    return figure(WIDTH, HEIGHT, title, parts)
