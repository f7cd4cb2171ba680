"""Check a submission, ours or another system's, for all that the official scorer stumbles over."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from submission.converter import convert
from submission.faults import Effect, Fault, check_ids, check_row
from submission.files import SubmissionError
from submission.scorer import COLUMNS, Row, read_table

STYLES = {Effect.CRASH: "bold red", Effect.WRONG: "yellow", Effect.HARMLESS: "dim"}


def validate(path: Path, claims: Sequence[str] | None = None) -> list[Fault]:
    """Name every fault of a submission: predictions where the name ends in ``.json``, the leaderboard's CSV otherwise.

    Args:
        path: the file.
        claims: texts of all claims that the gold file has, by id; without them a row that is about another claim and
            missing last rows cannot be seen.

    Raises:
        SubmissionError: the file does not exist.
    """
    if not path.is_file():
        raise SubmissionError(f"{path}: no such file; name a submission.csv or a predictions file in JSON")
    try:
        return _check_json(path, claims) if path.suffix == ".json" else _check_csv(path, claims)
    except SubmissionError as error:
        return [Fault("file", str(error), Effect.CRASH)]


def _check_csv(path: Path, claims: Sequence[str] | None) -> list[Fault]:
    table = read_table(path)
    faults = [_missing_column(column) for column in COLUMNS if column not in table.header]
    if any(fault.effect is Effect.CRASH for fault in faults):
        return faults
    return [*faults, *_check_rows(table.rows, claims)]


def _missing_column(column: str) -> Fault:
    if column == "split":
        return Fault("file", "there is no column 'split'; the scorer does not read it", Effect.HARMLESS)
    return Fault("file", f"there is no column {column!r}", Effect.CRASH)


def _check_json(path: Path, claims: Sequence[str] | None) -> list[Fault]:
    rows, faults = convert(path)
    if any(fault.effect is Effect.CRASH for fault in faults):
        return faults + [fault for row in rows for fault in check_row(row, claims)]
    return faults + _check_rows(rows, claims)


def _check_rows(rows: Sequence[Row], claims: Sequence[str] | None) -> list[Fault]:
    if not rows:
        return [Fault("file", "there are no rows", Effect.CRASH)]
    by_id = check_ids(rows, None if claims is None else len(claims))
    return by_id + [fault for row in rows for fault in check_row(row, claims)]


def changes_score(faults: Sequence[Fault]) -> bool:
    """Whether any fault is more than harmless."""
    return any(fault.effect is not Effect.HARMLESS for fault in faults)


def outcome(faults: Sequence[Fault]) -> str:
    """What the official scorer does with a file that has these faults, in a sentence."""
    for effect, does in ((Effect.CRASH, "stops at this file"), (Effect.WRONG, "scores this file wrongly")):
        found = [fault for fault in faults if fault.effect is effect]
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return f"The official scorer {does}: {found[0].where}: {found[0].message}{more}."
    return "The official scorer reads this file without trouble."


def print_faults(path: Path, faults: Sequence[Fault], console: Console) -> None:
    """One line a fault, then one that counts them."""
    for fault in faults:
        line = Text.assemble((f"{fault.effect}: ", STYLES[fault.effect]), f"{fault.where}: {fault.message}")
        console.print(line, soft_wrap=True)
    counts = Counter(fault.effect for fault in faults)
    found = ", ".join(f"{counts[effect]} {effect}" for effect in Effect if counts[effect]) or "no faults"
    console.print(f"{path}: {found}", soft_wrap=True, markup=False, highlight=False)
