"""Write the files that a run leaves for others, together at its end, each whole or not at all, and read them back.

``submission.json`` holds what the system found for each claim, in the organizers' form with three fields more.
Questions and answers are clean already, so that the organizers' own converter makes a readable CSV of the file.

``submission.csv`` is the leaderboard's file. Its ids count the rows from 0, whatever the claims' own ids are: the
scorer pairs rows by position, its Ev2R half looks ids up by position, and the organizers' converter numbers rows so. A
run over a part of the claims (``--start``) can therefore only be scored against a gold file of the same part;
``submission.json`` keeps the claims' own ids.
"""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from submission.files import SubmissionError, clean
from submission.official import COLUMNS, MAX_PAIRS, Effect, join_evidence
from submission.read import read_predictions
from submission.validate import validate
from system.files.texts import write_text
from system.graph.records import NO_ANSWER, ClaimResult
from system.report.claims import Entry, EvidencePair
from system.report.timings import RunFacts, time_report, write_timings_csv, write_timings_json

FILES = ("submission.json", "submission.csv", "timings.json", "timings.csv")
PLACEHOLDER = EvidencePair(question="What evidence is there about the claim?", answer=NO_ANSWER)
"""Evidence of a claim without any, because the official scorer stops at an empty cell."""


def write_outputs(results: Sequence[ClaimResult], folder: Path, facts: RunFacts) -> None:
    """Write ``FILES`` for the results, at least one, and read the submission back.

    The folder is made if it is missing; files of an earlier run are replaced, each at once. Raises a
    ``SubmissionError`` if a file does not read back as it was written.
    """
    submission_json, submission_csv, timings_json, timings_csv = (folder / name for name in FILES)
    entries = predictions(results)
    write_json(entries, submission_json)
    write_csv(entries, submission_csv)
    report = time_report(results, facts)
    write_timings_json(report, timings_json)
    write_timings_csv(report, timings_csv)


def predictions(results: Sequence[ClaimResult]) -> list[Entry]:
    """Turn results into predictions, in the order given.

    A pair whose answer was merged from several passages stays one entry: repeating it would count it twice. A pair
    that repeats an earlier one is dropped. Answered pairs come first, each group in its own order, so that a cap on
    their number costs unanswered ones first. A claim without pairs gets one placeholder.
    """
    return [_prediction(result) for result in results]


def _prediction(result: ClaimResult) -> Entry:
    distinct: dict[tuple[str, str], EvidencePair] = {}
    for pair in sorted(result.pairs, key=lambda pair: not pair.answered):
        raw = EvidencePair.of(pair)
        question, answer = clean(raw.question), clean(raw.answer) or NO_ANSWER
        if question:
            distinct.setdefault((question, answer), raw.model_copy(update={"question": question, "answer": answer}))
    return Entry.of(result).model_copy(update={"pairs": tuple(distinct.values()) or (PLACEHOLDER,)})


def write_json(entries: Sequence[Entry], path: Path) -> None:
    """Write ``submission.json`` and read it back."""
    items = [entry.model_dump(mode="json", by_alias=True) for entry in entries]
    write_text(path, json.dumps(items, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    if read_predictions(path) != list(entries):
        raise SubmissionError(f"{path}: what was read back is not what was written")


def write_csv(entries: Sequence[Entry], path: Path) -> None:
    """Write ``submission.csv``, one row an entry in the order given, and read it back as the official scorer would.

    Evidence is capped at the ten pairs that the scorer's METEOR half reads.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    wanted = [(number, one.claim, one.texts[:MAX_PAIRS], one.label) for number, one in enumerate(entries)]
    for number, claim, pairs, label in wanted:
        writer.writerow([number, claim, join_evidence(pairs), label, "pred"])
    write_text(path, text.getvalue())
    for fault in validate(path, [entry.claim for entry in entries]):
        if fault.effect is not Effect.HARMLESS:
            raise SubmissionError(f"{path}: {fault.where}: {fault.message} ({fault.effect})")
    found = [(one.claim_id, one.claim, one.texts, one.label) for one in read_predictions(path)]
    for read, written in zip(found, wanted, strict=True):
        if read != written:
            raise SubmissionError(f"{path}: read back {read!r:.400}, expected {written!r:.400}")
