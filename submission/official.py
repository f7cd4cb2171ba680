r"""Read a submission as the organizers do: their converter, and ``averitec_evaluate.py`` of FEVER-8 without pandas.

The scorer reads the CSV with ``pandas.read_csv`` and its defaults, keeps the rows whose id occurs in the gold file,
sorts both files by id and pairs them by position. Evidence is split at two tabs and two newlines into pairs, and each
pair at two tabs and one newline into question and answer; any other number of parts than two stops the whole run.
"""

import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ValidationError

from submission.files import SubmissionError, read_json, read_text
from system.graph.records import explain

PAIR_END = "\t\t\n\n"
ANSWER_START = "\t\t\n"
OTHERS = {"[": "; JSON needs the ending .json", ";": " separated by semicolons", "\t": " separated by tabs"}
OTHERS["|"] = " separated by vertical bars"
MAX_PAIRS = 10
"""Pairs that METEOR reads; Ev2R reads all."""
COLUMNS = ("id", "claim", "evi", "label", "split")
READ_COLUMNS = COLUMNS[:4]
"""The scorer does not read the split of predictions."""

# The cells that pandas takes for missing values by default.
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
    """A fault; ``where`` names the row, the entry, or the file as a whole."""

    where: str
    message: str
    effect: Effect


class UnreadableEvidence(ValueError):
    """Evidence at which the scorer stops; the message says where and why."""


@dataclass(frozen=True)
class Row:
    """One row of a submission as the scorer sees it; a missing cell is the empty string."""

    where: str  #: the row's name in messages
    id: float | str  #: pandas' value of the cell, a number (not-a-number if missing), or text that is no number
    claim: str
    evidence: str
    label: str


def read_table(path: Path) -> list[Row]:
    """Read a CSV as pandas would: quoted cells may hold anything, blank lines are skipped, short rows are padded."""
    text = read_text(path)
    first = text.lstrip("\ufeff \r\n").partition("\n")[0].strip()
    header = next(csv.reader([first]), [])
    if not {*READ_COLUMNS} <= {*header}:
        other = next((words for mark, words in OTHERS.items() if mark in first), "")
        raise SubmissionError(
            f"{path}: expected the columns {', '.join(COLUMNS)} separated by commas, got {first!r:.80}{other}; "
            "export it again, because the official scorer reads nothing else"
        )
    lines = _records(path, text)
    rows = []
    for number, (line, record) in enumerate(lines[1:]):
        where = f"row {number} (line {line})"
        if len(record) > len(header):
            raise SubmissionError(
                f"{path}: {where} has {len(record)} cells, expected {len(header)}; quote cells that hold commas"
            )
        padded = record + [""] * (len(header) - len(record))
        claim_id, claim, evidence, label = (padded[header.index(column)] for column in READ_COLUMNS)
        rows.append(Row(where, _id(claim_id), claim, evidence, label))
    return rows


def _records(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """Return the cells of each row that is not blank, with the line on which it begins, counted from 1."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
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


def _id(cell: str) -> float | str:
    if cell in MISSING:
        return math.nan
    try:
        return cell if "_" in cell else float(cell)
    except ValueError:
        return cell


def join_evidence(pairs: Iterable[tuple[str, str]]) -> str:
    """Write the evidence cell for pairs of a question and an answer; the last pair keeps its terminator."""
    return "".join(f"{question}{ANSWER_START}{answer}{PAIR_END}" for question, answer in pairs)


def split_evidence(evidence: str) -> list[tuple[str, str]]:
    """Return the pairs that the scorer sees in an evidence cell; raises ``UnreadableEvidence`` if it would stop."""
    if evidence in MISSING:
        raise UnreadableEvidence(f"the evidence {evidence!r} reads as a missing value; give a placeholder pair")
    pairs = []
    for number, piece in enumerate(piece for piece in evidence.split(PAIR_END) if piece):
        parts = piece.split(ANSWER_START)
        if len(parts) > 2:
            fault = "holds the separator inside its question or answer"
        elif "\t\t\r\n" in evidence:
            fault = "has no answer: the separators end in CRLF, not in a newline"
        else:
            fault = "has no answer: its separator is missing, or an answer holds one or begins with a newline"
        if len(parts) != 2:
            raise UnreadableEvidence(f"pair {number} ({piece[:40]!r}) {fault}")
        pairs.append((parts[0], parts[1]))
    return pairs


class _ConvertedPair(BaseModel):
    question: str
    answer: str


class _ConvertedEntry(BaseModel):
    """The fields that the organizers' converter takes of an entry."""

    claim: str
    pred_label: str
    evidence: list[_ConvertedPair]


def convert(path: Path) -> tuple[list[Row], list[Fault]]:
    """Return the rows that the organizers' ``prepare_leaderboard_submission.py`` would write, and the faults met.

    It numbers the entries by position, whatever their ``claim_id``, and takes claim, pred_label, and the question and
    answer of each pair of evidence. If one of them is missing or is no text, it stops.
    """
    rows: list[Row] = []
    faults: list[Fault] = []
    for number, item in enumerate(read_json(path, list)):
        where = f"entry {number}"
        try:
            # Only JSON validation refuses lone surrogates.
            entry = _ConvertedEntry.model_validate_json(json.dumps(item))
        except ValidationError as error:
            message = f"{explain(error.errors()[0], 'the entry', quoting=False)}; the organizers' converter stops"
            faults.append(Fault(where, message, Effect.CRASH))
            continue
        evidence = join_evidence((pair.question, pair.answer) for pair in entry.evidence)
        rows.append(Row(where, float(number), entry.claim, evidence, entry.pred_label))
        claim_id = item.get("claim_id", number) if isinstance(item, Mapping) else number
        if claim_id != number:
            message = f"has claim_id {claim_id!r}, but is at position {number} and is scored against claim {number}"
            faults.append(Fault(where, message, Effect.WRONG))
    return rows, faults
