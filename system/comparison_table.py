"""A comparison as tables for the terminal."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Group
from rich.table import Table

from system.comparison import Interval, Scores
from system.records import Label

SHORT = {
    Label.SUPPORTED: "Sup",
    Label.REFUTED: "Ref",
    Label.NOT_ENOUGH_EVIDENCE: "NEE",
    Label.CONFLICTING: "Conf",
}

Columns = Mapping[str, Callable[[Scores], str]]


def comparison_tables(scores: Sequence[Scores], claims: int) -> Group:
    """Scores, wrong labels and costs, one row a strategy; differences are to the first row."""
    first, repeats = scores[0].strategy, scores[0].repeats
    times = f", {repeats} times each" if repeats > 1 else ""
    return Group(
        _table(
            f"Scores on {claims} claims{times}, in percent with 95% intervals",
            scores,
            {
                "accuracy": lambda row: _interval(row.accuracy),
                "difference": lambda row: "" if row.strategy == first else _interval(row.difference, signed=True),
                "macro-F1": lambda row: _interval(row.macro_f1),
            },
        ),
        _table("False-positive rate of each label", scores, {SHORT[label]: _rate_of(label) for label in Label}),
        _table(
            "Cost a claim",
            scores,
            {
                "rounds": lambda row: f"{row.rounds:.2f}",
                "calls": lambda row: f"{row.calls:.1f}",
                "tokens in": lambda row: f"{row.tokens_in:.0f}",
                "out": lambda row: f"{row.tokens_out:.0f}",
                "seconds": lambda row: f"{row.seconds:.2f}",
                "failed": lambda row: f"{row.failures:.2f}",
                "cut": lambda row: f"{row.cut_short:.1%}",
            },
        ),
    )


def _table(title: str, scores: Sequence[Scores], columns: Columns) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("strategy", overflow="fold")
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in scores:
        table.add_row(row.strategy, *(cell(row) for cell in columns.values()))
    return table


def _rate_of(label: Label) -> Callable[[Scores], str]:
    return lambda row: f"{row.false_positive_rates[label]:.1%}"


def _interval(interval: Interval, *, signed: bool = False) -> str:
    form = "+.1f" if signed else ".1f"
    value, low, high = (f"{100 * number:{form}}" for number in (interval.value, interval.low, interval.high))
    return f"{value} [{low}, {high}]"
