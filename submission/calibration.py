"""Calibration: make a confidence mean what it says, a probability that the label is right (Guo et al., 2017).

The fit is isotonic (Zadrozny and Elkan, 2002): it may bend as the data want, but never turns the order of two claims.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from submission.files import SubmissionError, write_text
from submission.report.charts import ACCENT, HEIGHT, LABEL_COLORS, MUTED, WIDTH, Frame, element, figure, text
from submission.score import comparable_pairs
from submission.write import read_json
from system.graph.records import Calibration, Label, Record

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
    """The calibrated probability at each point of ``GRID``.

    As if one more of the surest claims had been wrong and one of the least sure right: where a few claims at an end are
    all right, or all wrong, isotonic regression would be certain.
    """
    given = np.concatenate([confidences, [confidences.max(), confidences.min()]])
    fit = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(given, np.concatenate([right, [0, 1]]))
    return np.asarray(fit.predict(GRID))


TENTHS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


def calibrate_command(arguments: argparse.Namespace, console: Console) -> int:
    """Fit, print and save the confidences."""
    met = comparable_pairs(arguments.predictions, arguments.gold)
    confidence = {entry.claim_id: entry.confidence for entry in read_json(arguments.predictions)}
    report = calibrate(
        [confidence[one.predicted.claim_id] for one in met],
        [one.predicted.label for one in met],
        [one.gold.label for one in met],
    )
    write_text(arguments.output, report.calibration.model_dump_json(indent=2) + "\n")
    diagram = arguments.output.with_suffix(".svg")
    write_text(diagram, draw(report))
    console.print(_table(report))
    console.print(f"{arguments.output}\n{diagram}", soft_wrap=True)
    return 0


def draw(report: CalibrationReport) -> str:
    """The reliability diagram: accuracy over confidence, before and after; on the diagonal confidence is true."""
    frame = Frame(TENTHS, TENTHS)
    diagonal = element("line", x1=frame.x(0), y1=frame.y(0), x2=frame.x(1), y2=frame.y(1), stroke=MUTED)
    before, after = LABEL_COLORS["Refuted"], ACCENT
    legend = [
        text(60, 24, "share that is right; expected calibration error", fill=MUTED),
        text(340, 24, f"before: {report.before:.3f}", fill=before, font_weight="bold"),
        text(450, 24, f"after: {report.after:.3f}", fill=after, font_weight="bold"),
    ]
    lines = [*_line(frame, report.bins_before, before), *_line(frame, report.bins_after, after)]
    title = f"Reliability of {report.claims} claims, expected calibration error before and after"
    return figure(WIDTH, HEIGHT, title, [*frame.grid("confidence", ""), diagonal, *lines, *legend])


def _line(frame: Frame, bins: Sequence[Bin], color: str) -> list[str]:
    points = [(frame.x(one.confidence), frame.y(one.accuracy), one.claims) for one in bins]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dots = [element("circle", cx=x, cy=y, r=2 + min(6.0, claims**0.5 / 3), fill=color) for x, y, claims in points]
    return [element("polyline", points=path, fill="none", stroke=color, stroke_width=1.5), *dots]


def _table(report: CalibrationReport) -> Table:
    table = Table("", "value", title=f"Calibration on {report.claims} claims", title_justify="left")
    table.add_row("accuracy", f"{report.accuracy:.3f}")
    table.add_row("expected calibration error, before", f"{report.before:.3f}")
    table.add_row("expected calibration error, after (out of fold)", f"{report.after:.3f}")
    return table
