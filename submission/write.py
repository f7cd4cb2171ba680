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
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from submission.files import SubmissionError, clean, read_json_array
from submission.official import (
    COLUMNS,
    MAX_PAIRS,
    Effect,
    UnreadableEvidence,
    join_evidence,
    read_table,
    split_evidence,
)
from submission.validate import changes_score, validate
from system.files.texts import repair, write_text
from system.graph.records import NO_ANSWER, ClaimResult, Label, QuestionAnswer, Record, explain
from system.report.claims import EvidencePair
from system.report.timings import RunFacts, time_report, write_timings_csv, write_timings_json

PLACEHOLDER_QUESTION = "What evidence is there about the claim?"
"""AVeriTeC's own words for a question without an answer."""


class Prediction(Record):
    """One entry of ``submission.json``; it always has evidence, because the official scorer stops at an empty one."""

    claim_id: int
    claim: str
    evidence: tuple[EvidencePair, ...]
    pred_label: Label
    justification: str
    confidence: float


class Written(Record):
    """The files that ``write_outputs`` wrote."""

    submission_json: Path
    submission_csv: Path
    timings_json: Path
    timings_csv: Path

    @classmethod
    def of(cls, folder: Path) -> "Written":
        """Name the files in an output folder."""
        names = {name: "{}.{}".format(*name.split("_")) for name in cls.model_fields}
        return cls(**{name: folder / file for name, file in names.items()})


def write_outputs(results: Sequence[ClaimResult], folder: Path, facts: RunFacts) -> Written:
    """Write submission.json, submission.csv, timings.json and timings.csv, and read the submission back.

    Args:
        results: one for each claim, in the order of the input.
        folder: made if it is missing; files of an earlier run are replaced, each at once.
        facts: facts of the run that only the caller knows.

    Raises:
        SubmissionError: there are no results, a claim has two, or a file does not read back as it was written.
        FileError: a file cannot be written.
    """
    if not results:
        raise SubmissionError("no results to write; expected one for each claim")
    claim_id, count = Counter(result.claim.id for result in results).most_common(1)[0]
    if count > 1:
        raise SubmissionError(f"claim {claim_id} has {count} results, expected one for each claim")
    written = Written.of(folder)
    entries = predictions(results)
    write_json(entries, written.submission_json)
    write_csv(entries, written.submission_csv)
    report = time_report(results, facts)
    write_timings_json(report, written.timings_json)
    write_timings_csv(report, written.timings_csv)
    if read_json(written.submission_json) != entries:
        raise SubmissionError(f"{written.submission_json}: what was read back is not what was written")
    faults = validate(written.submission_csv, [entry.claim for entry in entries])
    if changes_score(faults):
        worst = next(fault for fault in faults if fault.effect is not Effect.HARMLESS)
        raise SubmissionError(f"{written.submission_csv}: {worst.where}: {worst.message} ({worst.effect})")
    return written


def predictions(results: Sequence[ClaimResult]) -> list[Prediction]:
    """Turn results into predictions, in the order given.

    A pair whose answer was merged from several passages stays one entry: repeating it would count it twice. A pair
    that repeats an earlier one is dropped. Answered pairs come first, each group in its own order, so that a cap on
    their number costs unanswered ones first. A claim without pairs gets one placeholder.
    """
    return [_prediction(result) for result in results]


def write_json(entries: Sequence[Prediction], path: Path) -> None:
    """Write ``submission.json``."""
    items = [entry.model_dump(mode="json") for entry in entries]
    write_text(path, json.dumps(items, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def read_json(path: Path) -> list[Prediction]:
    """Read a file of ``write_json``.

    Raises:
        SubmissionError: the file holds no JSON array, or an entry has missing, unknown or wrong fields, or text that
            cannot be written again.
    """
    return [_read(path, number, item) for number, item in enumerate(read_json_array(path))]


def _read(path: Path, number: int, item: object) -> Prediction:
    try:
        return Prediction.model_validate_json(json.dumps(item))  # only JSON validation refuses lone surrogates
    except ValidationError as error:
        fault = explain(error.errors()[0], "its text", quoting=False)
        raise SubmissionError(
            f"{path}: entry {number}: {fault}; expected an entry as a run writes it to submission.json"
        ) from error


def _prediction(result: ClaimResult) -> Prediction:
    pairs = [_evidence(pair) for pair in sorted(result.pairs, key=lambda pair: not pair.answered)]
    distinct = {(pair.question, pair.answer): pair for pair in reversed(pairs)}  # the first of equal ones stays
    evidence = tuple(pair for pair in pairs if pair.question and distinct[pair.question, pair.answer] is pair)
    placeholder = EvidencePair(question=PLACEHOLDER_QUESTION, answer=NO_ANSWER)
    return Prediction(
        claim_id=result.claim.id,
        claim=repair(result.claim.text),
        evidence=evidence or (placeholder,),
        pred_label=result.verdict.label,
        justification=repair(result.verdict.justification),
        confidence=result.verdict.confidence,
    )


def _evidence(pair: QuestionAnswer) -> EvidencePair:
    raw = EvidencePair.of(pair)
    return EvidencePair(
        question=clean(raw.question),
        answer=clean(raw.answer) or NO_ANSWER,
        url=repair(raw.url),
        scraped_text=repair(raw.scraped_text),
        urls=tuple(map(repair, raw.urls)),
    )


def write_csv(entries: Sequence[Prediction], path: Path) -> None:
    """Write ``submission.csv``, one row an entry in the order given, and read it back as the official scorer would.

    Evidence is capped at the ten pairs that the scorer's METEOR half reads.

    Raises:
        SubmissionError: the file reads back differently.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for number, entry in enumerate(entries):
        writer.writerow([number, entry.claim, join_evidence(_pairs(entry)), str(entry.pred_label), "pred"])
    write_text(path, text.getvalue())
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


def _pairs(entry: Prediction) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in entry.evidence[:MAX_PAIRS]]
