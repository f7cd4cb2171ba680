"""The comparison of two runs as tables for the terminal."""

from collections import Counter
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.report.comparison import Change, Comparison
from submission.report.shown import visible
from submission.score_tables import SHORT


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Settings that differ, numbers of both runs, and every changed label."""
    console.print(Group(*_notes(comparison), *_settings(comparison), _measures(comparison), *_changes(comparison)))


def _notes(comparison: Comparison) -> Iterator[RenderableType]:
    yield Text(f"before: {comparison.before}\nafter:  {comparison.after}\n{comparison.shared} claims in both")
    for count, name in zip(comparison.only, ("before", "after"), strict=True):
        if count:
            yield Text(f"{count} claims only in the run {name}; their labels are not compared", style="yellow")


def _settings(comparison: Comparison) -> Iterator[RenderableType]:
    if comparison.settings:
        table = Table("setting", "before", "after")
        for name, values in comparison.settings.items():
            table.add_row(*(Text(visible(value)) for value in (name, *values)))
        yield table


def _measures(comparison: Comparison) -> Table:
    table = Table("")
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right")
    for one in comparison.measures:
        table.add_row(one.name, f"{one.before:,.3f}", f"{one.after:,.3f}", f"{one.after - one.before:+,.3f}")
    return table


def _changes(comparison: Comparison) -> Iterator[RenderableType]:
    yield Text(f"\n{len(comparison.changes)} labels changed{_balance(comparison.changes)}")
    if not comparison.changes:
        return
    table = Table("claim", "before", "after", "gold", "text")
    for one in comparison.changes:
        names = (SHORT.get(name, name) for name in (one.before, one.after, one.gold))
        words = visible(one.claim)
        table.add_row(str(one.claim_id), *map(Text, names), Text(words if len(words) <= 80 else f"{words[:79]}…"))
    yield table


def _balance(changes: tuple[Change, ...]) -> str:
    """How many became right and wrong, where gold is known."""
    known = [one for one in changes if one.gold]
    counts = Counter((one.before == one.gold, one.after == one.gold) for one in known)
    return f": {counts[False, True]} became right, {counts[True, False]} became wrong" if known else ""
