"""The score report as tables for the terminal."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.ev2r.tables import EV2R, LEXICAL, ev2r_tables
from submission.label_scores import INVALID, LabelScores
from submission.legacy.tables import legacy_tables
from submission.score import ScoreReport
from system.records import Label

SHORT = {
    str(Label.SUPPORTED): "Sup",
    str(Label.REFUTED): "Ref",
    str(Label.NOT_ENOUGH_EVIDENCE): "NEE",
    str(Label.CONFLICTING): "Conf",
}


def print_report(report: ScoreReport, console: Console) -> None:
    """The scores as tables, and what could not be scored."""
    console.print(Group(*_notes(report), _overview(report), _by_label(report.labels), _confusion(report.labels)))
    if report.legacy:
        console.print(*legacy_tables(report.legacy), sep="\n")
    for scores, title in ((report.ev2r, EV2R), (report.ev2r_lexical, LEXICAL)):
        if scores:
            console.print(*ev2r_tables(scores, title), sep="\n")


def _notes(report: ScoreReport) -> Iterator[RenderableType]:
    yield Text(report.official)
    if report.missing:
        yield Text(f"not scored, no prediction: claims {id_ranges(report.missing)}", style="yellow")
    if report.extra:
        yield Text(f"not scored, not in the gold file: claims {id_ranges(report.extra)}", style="yellow")
    for one in report.mismatched:
        line = f"not scored, another text: claim {one.claim_id}: {one.predicted[:60]!r}, in gold {one.gold[:60]!r}"
        yield Text(line, style="yellow")


def id_ranges(ids: Iterable[int]) -> str:
    """Ids in short.

    >>> id_ranges([0, 1, 2, 5])
    '0-2, 5'
    """
    ordered = sorted(ids)
    starts = [ordered[0], *(after for before, after in pairwise(ordered) if after - before > 1)]
    ends = [*(before for before, after in pairwise(ordered) if after - before > 1), ordered[-1]]
    return ", ".join(str(start) if start == end else f"{start}-{end}" for start, end in zip(starts, ends, strict=True))


def _overview(report: ScoreReport) -> Table:
    table = Table("", title=f"Labels of {report.labels.claims} of {report.gold_claims} claims", title_justify="left")
    table.add_column("predicted", justify="right")
    table.add_column('always "Refuted"', justify="right")
    for name, ours, constant in (
        ("accuracy", report.labels.accuracy, report.constant_refuted.accuracy),
        ("macro-F1", report.labels.macro_f1, report.constant_refuted.macro_f1),
    ):
        table.add_row(name, f"{ours:.3f}", f"{constant:.3f}")
    return table


def _by_label(scores: LabelScores) -> Table:
    table = Table("label")
    for column in ("precision", "recall", "F1", "support"):
        table.add_column(column, justify="right")
    for label, one in scores.labels.items():
        table.add_row(str(label), f"{one.precision:.3f}", f"{one.recall:.3f}", f"{one.f1:.3f}", str(one.support))
    return table


def _confusion(scores: LabelScores) -> Table:
    """Gold labels down, predicted labels across; a column of invalid labels only where there are any."""
    table = Table("gold \\ predicted")
    shown = [*SHORT]
    if any(row[INVALID] for row in scores.confusion.values()):
        shown.append(INVALID)
    for name in shown:
        table.add_column(SHORT.get(name, name), justify="right")
    for label, row in scores.confusion.items():
        table.add_row(str(label), *(str(row[name]) for name in shown))
    return table
