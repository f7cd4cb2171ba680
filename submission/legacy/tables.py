"""The legacy scores as tables for the terminal."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from submission.legacy.scores import OFFICIAL_THRESHOLD, LegacyGroup, LegacyScores


def legacy_tables(scores: LegacyScores) -> Iterator[RenderableType]:
    """All claims, each label and each type; the other thresholds; and what METEOR was made from."""
    yield _groups(scores)
    yield _thresholds(scores)
    yield Text(f"words by {scores.sources.tokenization}; synonyms of {scores.sources.wordnet}", style="dim")


def _groups(scores: LegacyScores) -> Table:
    table = Table("", title="Legacy AVeriTeC (Hungarian METEOR)", title_justify="left")
    for column in ("claims", "acc.", "Q", "Q+A", f"@{OFFICIAL_THRESHOLD}"):
        table.add_column(column, justify="right")
    _row(table, "all", scores.overall)
    for groups in (scores.by_label, scores.by_type):
        table.add_section()
        for name, group in groups.items():
            _row(table, str(name), group)
    return table


def _row(table: Table, name: str, group: LegacyGroup) -> None:
    numbers = (group.accuracy, group.questions, group.questions_and_answers, group.averitec[OFFICIAL_THRESHOLD])
    table.add_row(name, str(group.claims), *(f"{number:.3f}" for number in numbers))


def _thresholds(scores: LegacyScores) -> Table:
    table = Table("threshold", *(str(threshold) for threshold in scores.overall.averitec))
    table.add_row("legacy AVeriTeC score", *(f"{share:.3f}" for share in scores.overall.averitec.values()))
    return table
