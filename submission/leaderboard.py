"""``submission.csv``: the leaderboard's file, written for the official scorer and read back as the scorer reads it.

Ids count the rows from 0, whatever the claims' own ids are: the scorer pairs rows by position, its Ev2R half looks ids
up by position, and the organisers' converter numbers rows so. A run over a part of the claims (``--start``) can
therefore only be scored against a gold file of the same part; ``submission.json`` keeps the claims' own ids.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from submission.files import SubmissionError, write_atomically
from submission.predictions import Prediction
from submission.scorer import COLUMNS, MAX_PAIRS, UnreadableEvidence, join_evidence, read_table, split_evidence


def write_csv(entries: Sequence[Prediction], path: Path) -> None:
    """Write ``submission.csv``, one row an entry in the order given, and read it back as the official scorer would.

    Evidence is capped at the ten pairs that the scorer's METEOR half looks at.

    Raises:
        SubmissionError: what was read back differs from what was to be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for number, entry in enumerate(entries):
        writer.writerow([number, entry.claim, join_evidence(_pairs(entry)), str(entry.pred_label), "pred"])
    write_atomically(path, text.getvalue())
    _read_back(entries, path)


def _pairs(entry: Prediction) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in entry.evidence[:MAX_PAIRS]]


def _read_back(entries: Sequence[Prediction], path: Path) -> None:
    rows = read_table(path).rows
    if len(rows) != len(entries):
        raise SubmissionError(f"{path}: {len(rows)} rows were read back, {len(entries)} were written")
    for number, (row, entry) in enumerate(zip(rows, entries, strict=True)):
        try:
            read = (row.id, row.claim, split_evidence(row.evidence), row.label)
        except UnreadableEvidence as error:
            raise SubmissionError(f"{path}: {row.where}, claim {entry.claim_id}: {error}") from error
        if read != (written := (number, entry.claim, _pairs(entry), entry.pred_label)):
            raise SubmissionError(
                f"{path}: {row.where}, claim {entry.claim_id}: read back {read!r:.400}, expected {written!r:.400}"
            )
