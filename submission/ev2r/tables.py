"""The Ev2R scores as tables for the terminal."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from submission.ev2r.bootstrap import Estimate
from submission.ev2r.comparisons import Unit
from submission.ev2r.replies import Mode
from submission.ev2r.scores import OFFICIAL_THRESHOLD, Ev2rScores

EV2R = "Ev2R"
LEXICAL = "Lexical estimate: words compared, NOT an Ev2R score"
UNITS = {Unit.QUESTIONS: "Q", Unit.EVIDENCE: "Q+A"}
REASONS = 5
"""Comparisons without a judgement that are named, at most."""


def ev2r_tables(scores: Ev2rScores, title: str) -> Iterator[RenderableType]:
    """Means with intervals, the curve, the judge, and what could not be judged."""
    yield _means(scores, title)
    if scores.curve:
        yield _curve(scores)
    yield Text(f"judge: {scores.judge}; replies read in {scores.mode} mode", style="dim")
    yield from _unjudged(scores)


def _means(scores: Ev2rScores, title: str) -> Table:
    table = Table("", title=title, title_justify="left")
    for column in ("claims", "mean", "95 % interval"):
        table.add_column(column, justify="right")
    for unit, one in scores.units.items():
        _row(table, f"{UNITS[unit]} recall", one.claims, one.recall)
        _row(table, f"{UNITS[unit]} precision", one.claims, one.precision)
    if scores.averitec:
        _row(table, f"AVeriTeC @{OFFICIAL_THRESHOLD}", scores.units[Unit.EVIDENCE].claims, scores.averitec)
    return table


def _row(table: Table, name: str, claims: int, estimate: Estimate) -> None:
    table.add_row(name, str(claims), f"{estimate.mean:.3f}", f"{estimate.low:.3f} to {estimate.high:.3f}")


def _curve(scores: Ev2rScores) -> Table:
    table = Table("recall above", *(str(threshold) for threshold in scores.curve))
    table.add_row("AVeriTeC", *(f"{share:.2f}" for share in scores.curve.values()))
    return table


def _unjudged(scores: Ev2rScores) -> Iterator[Text]:
    if not scores.unjudged:
        return
    claims = len({one.claim_id for one in scores.unjudged})
    fate = "counted as 0" if scores.mode is Mode.COMPATIBLE else "left out of the means"
    yield Text(f"{claims} of {len(scores.claims)} claims could not be judged in full, {fate}:", style="yellow")
    for one in scores.unjudged[:REASONS]:
        yield Text(f"  claim {one.claim_id}, {one.unit}: {one.reason}", style="yellow")
    if len(scores.unjudged) > REASONS:
        yield Text(f"  and {len(scores.unjudged) - REASONS} more comparisons", style="yellow")
