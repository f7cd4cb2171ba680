r"""The organizers' reading of a submission: their converter, and ``averitec_evaluate.py`` of FEVER-8 without pandas.

The scorer reads the CSV with ``pandas.read_csv`` and its defaults, keeps the rows whose id occurs in the gold file,
sorts both files by id and pairs them by position. Evidence is split at two tabs and two newlines into pairs, and each
pair at two tabs and one newline into question and answer; anything else than two parts stops the whole run.
"""

import csv
import io
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from submission.files import SubmissionError, read_json_array, read_text

PAIR_END = "\t\t\n\n"
ANSWER_START = "\t\t\n"
MAX_PAIRS = 10
"""Pairs that METEOR looks at; Ev2R reads all."""
COLUMNS = ("id", "claim", "evi", "label", "split")

# The cells that pandas takes for missing values unless told otherwise.
# fmt: off
MISSING = frozenset({
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
})
# fmt: on


class Effect(StrEnum):
    """Effects of a fault on the official scorer."""

    CRASH = "crashes the whole run"
    WRONG = "gives wrong scores without an error"
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


class UnreadableEvidence(ValueError):
    """Evidence at which the scorer stops; the message says where and why."""


@dataclass(frozen=True)
class Row:
    """One row of a submission as the scorer sees it; a missing cell is the empty string.

    Attributes:
        where: the row's name in messages.
        id: what pandas makes of the cell: a number (not-a-number if missing), or text that is no number.
    """

    where: str
    id: float | str
    claim: str
    evidence: str
    label: str


@dataclass(frozen=True)
class Table:
    """A submission's rows, blank lines left out, with the names of its columns."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]


def read_table(path: Path) -> Table:
    """Read a CSV as pandas would: quoted cells may hold anything, blank lines are skipped, short rows are padded.

    Raises:
        SubmissionError: pandas would stop, or take cells for other columns' cells.
    """
    lines = _records(path)
    if not lines:
        raise SubmissionError(f"{path}: is empty; expected the columns {', '.join(COLUMNS)}")
    (_, header), *records = lines
    for number, (line, record) in enumerate(records):
        if len(record) > len(header):
            raise SubmissionError(
                f"{path}: row {number} (line {line}) has {len(record)} cells, expected {len(header)}; "
                "quote cells that hold commas"
            )
    return Table(tuple(header), tuple(_row(header, number, *record) for number, record in enumerate(records)))


def _records(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line on which it begins, counted from 1."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    records = []
    line = 1
    try:
        for record in reader:
            if len(record) > 1 or "".join(record).strip():
                records.append((line, record))
            line = reader.line_num + 1
    except csv.Error as error:
        raise SubmissionError(f"{path}: the row at line {line} is not valid CSV ({error}); check its quotes") from error
    return records


def _row(header: list[str], number: int, line: int, record: list[str]) -> Row:
    cells = record + [""] * (len(header) - len(record))

    def cell(column: str) -> str:
        return cells[header.index(column)] if column in header else ""

    return Row(f"row {number} (line {line})", _id(cell("id")), cell("claim"), cell("evi"), cell("label"))


def _id(cell: str) -> float | str:
    if cell in MISSING:
        return math.nan
    try:
        return cell if "_" in cell else float(cell)
    except ValueError:
        return cell


def join_evidence(pairs: list[tuple[str, str]]) -> str:
    """The evidence cell for pairs of a question and an answer; the last pair keeps its terminator."""
    return "".join(f"{question}{ANSWER_START}{answer}{PAIR_END}" for question, answer in pairs)


def split_evidence(evidence: str) -> list[tuple[str, str]]:
    """The pairs of a question and an answer that the scorer sees in an evidence cell.

    Raises:
        UnreadableEvidence: the scorer would stop.
    """
    if evidence in MISSING:
        raise UnreadableEvidence(f"the evidence {evidence!r} reads as a missing value; give a placeholder pair")
    pairs = []
    for number, piece in enumerate(piece for piece in evidence.split(PAIR_END) if piece):
        parts = piece.split(ANSWER_START)
        if len(parts) != 2:
            raise UnreadableEvidence(f"pair {number} ({piece[:40]!r}) {_what_is_missing(evidence, parts)}")
        pairs.append((parts[0], parts[1]))
    return pairs


def _what_is_missing(evidence: str, parts: list[str]) -> str:
    if len(parts) > 2:
        return "holds the separator inside its question or answer"
    if "\t\t\r\n" in evidence:
        return "has no answer: the separators end in CRLF, not in a newline"
    return "has no answer: its separator is missing, or an answer holds one or begins with a newline"


class Unconvertible(ValueError):
    """An entry at which the organizers' converter stops; the message says why."""


def convert(path: Path) -> tuple[list[Row], list[Fault]]:
    """The rows of the CSV that the organizers' ``prepare_leaderboard_submission.py`` would write, and the faults met.

    It numbers the entries by position, whatever their ``claim_id``, and takes claim, pred_label, and the question and
    answer of each pair of evidence; where one of them is missing or is no text it stops.

    Raises:
        SubmissionError: the file holds no JSON array.
    """
    rows: list[Row] = []
    faults: list[Fault] = []
    for number, entry in enumerate(read_json_array(path)):
        try:
            rows.append(_entry_row(number, entry))
            faults += _claim_id(number, entry)
        except Unconvertible as error:
            faults.append(Fault(f"entry {number}", f"{error}; the organizers' converter stops", Effect.CRASH))
    return rows, faults


def _entry_row(number: int, entry: object) -> Row:
    if not isinstance(entry, Mapping):
        raise Unconvertible(f"expected an object, got {entry!r:.60}")
    evidence = entry.get("evidence")
    if not isinstance(evidence, list):
        raise Unconvertible(f"'evidence': expected an array of pairs, got {evidence!r:.60}")
    pairs = [(_text(pair, "question"), _text(pair, "answer")) for pair in evidence]
    claim, label = _text(entry, "claim"), _text(entry, "pred_label")
    return Row(f"entry {number}", float(number), claim, join_evidence(pairs), label)


def _text(holder: object, key: str) -> str:
    if not isinstance(holder, Mapping):
        raise Unconvertible(f"expected an object with {key!r}, got {holder!r:.60}")
    value = holder.get(key)
    if not isinstance(value, str):
        raise Unconvertible(f"{key!r}: expected a string, got {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unconvertible(f"{key!r}: {value!a:.60} holds a lone surrogate, which UTF-8 cannot encode") from None
    return value


def _claim_id(number: int, entry: object) -> Iterator[Fault]:
    claim_id = entry.get("claim_id", number) if isinstance(entry, Mapping) else number
    if claim_id != number:
        message = f"has claim_id {claim_id!r}, but is at position {number} and is scored against claim {number}"
        yield Fault(f"entry {number}", message, Effect.WRONG)
