"""Check a submission of any system for everything at which the official scorer stumbles."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from math import isfinite
from pathlib import Path

from rich.console import Console
from rich.text import Text

from submission.files import SubmissionError, same_text
from submission.official import MAX_PAIRS, Effect, Fault, Row, UnreadableEvidence, convert, read_table, split_evidence
from system.graph.records import Label

STYLES = {Effect.CRASH: "bold red", Effect.WRONG: "yellow", Effect.HARMLESS: "dim"}
LABELS = {str(label).lower(): str(label) for label in Label}


def validate(path: Path, claims: Sequence[str] | None = None) -> list[Fault]:
    """Name every fault of a submission: predictions if the name ends in ``.json``, otherwise the leaderboard's CSV.

    Without the texts of all claims of the gold file, missing last rows and rows about another claim cannot be seen.
    """
    if not path.is_file():
        raise SubmissionError(f"{path} not found; expected submission.csv or predictions in JSON")
    try:
        rows, faults = convert(path) if path.suffix == ".json" else (read_table(path), [])
    except SubmissionError as error:
        return [Fault("file", str(error), Effect.CRASH)]
    if not any(fault.effect is Effect.CRASH for fault in faults):  # else the converter writes no ids
        faults += _check_ids(rows, None if claims is None else len(claims))
    return faults + [fault for row in rows for fault in _check_row(row, claims)]


def _check_ids(rows: Sequence[Row], total: int | None) -> Iterator[Fault]:
    """Yield the faults of the ids, which decide what claim a row is scored against."""
    if not rows:
        yield Fault("file", "no rows found", Effect.CRASH)
        return
    if total is None:
        total = 1 + max((int(row.id) for row in rows if isinstance(row.id, float) and isfinite(row.id)), default=-1)
    yield from (_ignored(row) for row in rows if not _is_scored(row, total))
    scored = [(int(row.id), row) for row in rows if _is_scored(row, total)]
    yield from _duplicates(scored, total)
    yield from _gaps([number for number, _ in scored], total)
    if late := next((row for (before, _), (after, row) in pairwise(scored) if after < before), None):
        yield Fault(late.where, "the rows are not in the order of their ids; the scorer sorts them", Effect.HARMLESS)


def _is_scored(row: Row, total: int) -> bool:
    """Return whether the row's id is one of the gold file's, which run from 0 to ``total`` - 1."""
    return isinstance(row.id, float) and 0 <= row.id < total and row.id.is_integer()


def _ignored(row: Row) -> Fault:
    if isinstance(row.id, str):
        message = f"the id {row.id!r} is not a number, so the scorer reads all ids as text and finds no row"
        return Fault(row.where, message, Effect.CRASH)
    return Fault(row.where, f"the id {row.id:.15g} is not in the gold file, so the row is ignored", Effect.HARMLESS)


def _duplicates(scored: Sequence[tuple[int, Row]], total: int) -> Iterator[Fault]:
    first: dict[int, Row] = {}
    effect = Effect.CRASH if len(scored) > total else Effect.WRONG
    for number, row in scored:
        if (other := first.setdefault(number, row)) is not row:
            message = f"the id {number} repeats that of {other.where}; later rows are scored against other claims"
            yield Fault(row.where, message, effect)


def _gaps(ids: Sequence[int], total: int) -> Iterator[Fault]:
    for before, after in pairwise([-1, *sorted(set(ids)), total]):
        if after - before < 2:
            continue
        names = f"id {before + 1} is" if after - before == 2 else f"ids {before + 1} to {after - 1} are"
        consequence = "every later row is scored against an earlier claim"
        if after == total:
            consequence = "the mean is taken over fewer claims"
        yield Fault("file", f"{names} missing; {consequence}", Effect.WRONG)


def _check_row(row: Row, claims: Sequence[str] | None) -> list[Fault]:
    """Return the faults of a row's evidence, of its label and, if the claims' texts are known, of its claim."""
    faults = [*_evidence(row), *_label(row)]
    if claims is None:
        return faults
    if not _is_scored(row, len(claims)):
        return []
    number = int(row.id)
    if not same_text(row.claim, claims[number]):
        message = f"is about {row.claim[:60]!r}, but is scored against claim {number}, {claims[number][:60]!r}"
        faults.append(Fault(row.where, message, Effect.WRONG))
    return faults


def _evidence(row: Row) -> Iterator[Fault]:
    try:
        pairs = split_evidence(row.evidence)
    except UnreadableEvidence as error:
        yield Fault(row.where, str(error), Effect.CRASH)
        return
    if not pairs:
        yield Fault(row.where, "the evidence has separators and no pair; its evidence scores 0", Effect.WRONG)
    if len(pairs) > MAX_PAIRS:
        message = f"has {len(pairs)} pairs; METEOR ignores all after the first {MAX_PAIRS}, Ev2R reads them"
        yield Fault(row.where, message, Effect.HARMLESS)
    for number, (question, answer) in enumerate(pairs):
        for name, text in (("question", question), ("answer", answer)):
            if not text.strip():
                yield Fault(row.where, f"the {name} of pair {number} is empty", Effect.HARMLESS)
    if "\r" in row.evidence or "\0" in row.evidence:
        yield Fault(row.where, "the evidence holds carriage returns or NULs", Effect.HARMLESS)


def _label(row: Row) -> Iterator[Fault]:
    if row.label in LABELS.values():
        return
    close = get_close_matches(row.label.strip().lower(), LABELS, n=1)
    advice = f"did you mean {LABELS[close[0]]!r}?" if close else f"expected one of {', '.join(LABELS.values())}"
    yield Fault(row.where, f"the label {row.label!r} counts as wrong; {advice}", Effect.WRONG)


def changes_score(faults: Sequence[Fault]) -> bool:
    """Return whether any fault is more than harmless."""
    return any(fault.effect is not Effect.HARMLESS for fault in faults)


def outcome(faults: Sequence[Fault]) -> str:
    """Say in a sentence what the official scorer does with a file that has these faults."""
    for effect, does in ((Effect.CRASH, "stops at this file"), (Effect.WRONG, "scores this file wrongly")):
        found = [fault for fault in faults if fault.effect is effect]
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return f"The official scorer {does}: {found[0].where}: {found[0].message}{more}."
    return "The official scorer reads this file without trouble."


def print_faults(path: Path, faults: Sequence[Fault], console: Console) -> None:
    """Print one line a fault, then one that counts them."""
    for fault in faults:
        line = Text.assemble((f"{fault.effect}: ", STYLES[fault.effect]), f"{fault.where}: {fault.message}")
        console.print(line, soft_wrap=True)
    counts = Counter(fault.effect for fault in faults)
    found = ", ".join(f"{counts[effect]} × {effect}" for effect in Effect if counts[effect]) or "no faults"
    console.print(f"{path}: {found}", soft_wrap=True, markup=False, highlight=False)
