"""Faults of a submission's rows, each with what the official scorer does about it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import isfinite

from submission.scorer import MAX_PAIRS, Row, UnreadableEvidence, split_evidence
from submission.text import same_text
from system.records import Label


class Effect(StrEnum):
    """What the official scorer does about a fault."""

    CRASH = "crashes the whole run"
    WRONG = "scores it wrongly without a word"
    HARMLESS = "harmless"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        where: the row, the entry, or the file as a whole.
    """

    where: str
    message: str
    effect: Effect


def check_ids(rows: Sequence[Row], total: int | None) -> list[Fault]:
    """Faults of the rows' ids, which decide what claim a row is scored against.

    Args:
        rows: in the order of the file.
        total: how many claims the gold file has; None if unknown: then its ids are taken to end with the highest one
            that occurs, and missing last rows stay unseen.
    """
    if total is None:
        total = 1 + max((int(row.id) for row in rows if isinstance(row.id, float) and isfinite(row.id)), default=-1)
    scored = [(int(row.id), row) for row in rows if is_scored(row, total)]
    ids = [number for number, _ in scored]
    ignored = [row for row in rows if not is_scored(row, total)]
    return [*_ignored(ignored), *_duplicates(scored, total), *_gaps(ids, total), *_order(scored)]


def is_scored(row: Row, total: int) -> bool:
    """Whether the row's id is one of the gold file's, which run from 0 to ``total`` - 1."""
    return isinstance(row.id, float) and 0 <= row.id < total and row.id.is_integer()


def check_row(row: Row, claims: Sequence[str] | None) -> list[Fault]:
    """Faults of a row's evidence, label and, where the claims' texts are known, its claim."""
    if claims is None:
        return [*_evidence(row), *_label(row)]
    return [*_evidence(row), *_label(row), *_claim(row, claims)] if is_scored(row, len(claims)) else []


def _ignored(rows: Iterable[Row]) -> Iterator[Fault]:
    for row in rows:
        if isinstance(row.id, str):
            message = f"the id {row.id!r} is no number, so the scorer reads all ids as text and finds no row at all"
            yield Fault(row.where, message, Effect.CRASH)
        else:
            message = f"the id {row.id:.15g} is not in the gold file, so the row is ignored"
            yield Fault(row.where, message, Effect.HARMLESS)


def _duplicates(scored: Sequence[tuple[int, Row]], total: int) -> Iterator[Fault]:
    first: dict[int, Row] = {}
    effect = Effect.CRASH if len(scored) > total else Effect.WRONG
    for number, row in scored:
        if (other := first.setdefault(number, row)) is not row:
            yield Fault(
                row.where, f"the id {number} is that of {other.where} too; later rows meet other claims", effect
            )


def _gaps(ids: Iterable[int], total: int) -> Iterator[Fault]:
    for before, after in pairwise([-1, *sorted(set(ids)), total]):
        if after - before < 2:
            continue
        names = f"id {before + 1} is" if after - before == 2 else f"ids {before + 1} to {after - 1} are"
        consequence = "every later row is scored against an earlier claim"
        if after == total:
            consequence = "the mean is taken over fewer claims"
        yield Fault("file", f"{names} missing; {consequence}", Effect.WRONG)


def _order(scored: Iterable[tuple[int, Row]]) -> Iterator[Fault]:
    for (before, _), (after, row) in pairwise(scored):
        if after < before:
            yield Fault(row.where, "the rows are not in the order of their ids; the scorer sorts them", Effect.HARMLESS)
            return


def _evidence(row: Row) -> Iterator[Fault]:
    try:
        pairs = split_evidence(row.evidence)
    except UnreadableEvidence as error:
        yield Fault(row.where, str(error), Effect.CRASH)
        return
    if not pairs:
        yield Fault(row.where, "the evidence has separators and no pair; its evidence scores 0", Effect.WRONG)
    if len(pairs) > MAX_PAIRS:
        message = f"has {len(pairs)} pairs; METEOR leaves out all after the first {MAX_PAIRS}, Ev2R reads them"
        yield Fault(row.where, message, Effect.HARMLESS)
    for number, (question, answer) in enumerate(pairs):
        for name, text in (("question", question), ("answer", answer)):
            if not text.strip():
                yield Fault(row.where, f"the {name} of pair {number} is empty", Effect.HARMLESS)
    if "\r" in row.evidence or "\0" in row.evidence:
        yield Fault(row.where, "the evidence holds carriage returns or NULs", Effect.HARMLESS)


def _label(row: Row) -> Iterator[Fault]:
    if row.label not in set(Label):
        expected = ", ".join(repr(str(label)) for label in Label)
        yield Fault(row.where, f"the label {row.label!r} counts as wrong; expected one of {expected}", Effect.WRONG)


def _claim(row: Row, claims: Sequence[str]) -> Iterator[Fault]:
    number = int(row.id)
    if not same_text(row.claim, claims[number]):
        message = f"is about {row.claim[:60]!r}, but is scored against claim {number}, {claims[number][:60]!r}"
        yield Fault(row.where, message, Effect.WRONG)
