"""``python -m submission calibrate``: fit the confidences of a run on a labelled split."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from submission.calibration import Bin, CalibrationReport, calibrate
from submission.files import write_atomically
from submission.pairing import pair
from submission.predictions import read_json
from submission.reading import read_gold, read_predictions
from submission.report.axes import HEIGHT, WIDTH, Frame
from submission.report.svg import ACCENT, LABEL_COLOURS, MUTED, element, figure, text

DESCRIPTION = """Fit how far a system's confidences can be trusted, on claims with known labels. Writes the fit, which
a run applies with --calibration, and a reliability diagram beside it; prints the expected calibration error before and
after, the latter out of fold."""
TENTHS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


def add_calibrate_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to a parser."""
    parser = commands.add_parser("calibrate", help="fit confidences on a labelled split", description=DESCRIPTION)
    parser.add_argument("--predictions", type=Path, required=True, metavar="FILE", help="submission.json of a run")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="the same claims with their labels")
    parser.add_argument(
        "--output", type=Path, default=Path("calibration.json"), metavar="FILE", help="default: calibration.json"
    )
    parser.set_defaults(command=_calibrate)


def _calibrate(arguments: argparse.Namespace, console: Console) -> int:
    met = pair(read_predictions(arguments.predictions), read_gold(arguments.gold)).pairs
    confidence = {entry.claim_id: entry.confidence for entry in read_json(arguments.predictions)}
    report = calibrate(
        [confidence[one.predicted.claim_id] for one in met],
        [one.predicted.label for one in met],
        [one.gold.label for one in met],
    )
    write_atomically(arguments.output, report.calibration.model_dump_json(indent=2) + "\n")
    diagram = arguments.output.with_suffix(".svg")
    write_atomically(diagram, draw(report))
    console.print(_table(report))
    console.print(f"{arguments.output}\n{diagram}", soft_wrap=True)
    return 0


def draw(report: CalibrationReport) -> str:
    """The reliability diagram: accuracy over confidence, before and after; on the diagonal confidence is true."""
    frame = Frame(TENTHS, TENTHS)
    diagonal = element("line", x1=frame.x(0), y1=frame.y(0), x2=frame.x(1), y2=frame.y(1), stroke=MUTED)
    before, after = LABEL_COLOURS["Refuted"], ACCENT
    legend = [
        text(60, 24, "share that is right; expected calibration error", fill=MUTED),
        text(340, 24, f"before: {report.before:.3f}", fill=before, font_weight="bold"),
        text(450, 24, f"after: {report.after:.3f}", fill=after, font_weight="bold"),
    ]
    lines = [*_line(frame, report.bins_before, before), *_line(frame, report.bins_after, after)]
    title = f"Reliability of {report.claims} claims, expected calibration error before and after"
    return figure(WIDTH, HEIGHT, title, [*frame.grid("confidence", ""), diagonal, *lines, *legend])


def _line(frame: Frame, bins: Sequence[Bin], colour: str) -> list[str]:
    points = [(frame.x(one.confidence), frame.y(one.accuracy), one.claims) for one in bins]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dots = [element("circle", cx=x, cy=y, r=2 + min(6.0, claims**0.5 / 3), fill=colour) for x, y, claims in points]
    return [element("polyline", points=path, fill="none", stroke=colour, stroke_width=1.5), *dots]


def _table(report: CalibrationReport) -> Table:
    table = Table("", "value", title=f"Calibration on {report.claims} claims", title_justify="left")
    table.add_row("accuracy", f"{report.accuracy:.3f}")
    table.add_row("expected calibration error, before", f"{report.before:.3f}")
    table.add_row("the same after, out of fold", f"{report.after:.3f}")
    return table
