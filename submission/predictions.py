"""``submission.json``: what the system says of each claim, in the organisers' form with three fields more.

Questions and answers are clean already here, so that the organisers' own converter makes a readable CSV of the file.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from submission.files import SubmissionError, read_json_array, write_atomically
from submission.text import clean, repair
from system.records import NO_ANSWER, ClaimResult, Label, QuestionAnswer, Record

# AVeriTeC's own words for a question without an answer.
PLACEHOLDER_QUESTION = "What evidence is there about the claim?"


class EvidencePair(Record):
    """A question, its answer, and the passage that the answer rests on most.

    Attributes:
        url: address of that passage's page; empty if the answer came from the claim's metadata or there is none.
        scraped_text: the passage itself; empty where ``url`` is.
    """

    question: str
    answer: str
    url: str
    scraped_text: str


class Prediction(Record):
    """One entry of ``submission.json``; never without evidence, since the official scorer stops at an empty one."""

    claim_id: int
    claim: str
    evidence: tuple[EvidencePair, ...]
    pred_label: Label
    justification: str
    confidence: float


def predictions(results: Sequence[ClaimResult]) -> list[Prediction]:
    """What is handed in for each claim, in the order given.

    A pair whose answer was merged from several passages stays one entry, with its first passage: the format has one
    address a pair, and repeating the pair would count it twice. Answered pairs come first, each group in its own
    order, so that a cap on their number costs unanswered ones first. A claim without pairs gets one placeholder.
    """
    return [_prediction(result) for result in results]


def write_json(entries: Sequence[Prediction], path: Path) -> None:
    """Write ``submission.json``."""
    items = [entry.model_dump(mode="json") for entry in entries]
    write_atomically(path, json.dumps(items, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def read_json(path: Path) -> list[Prediction]:
    """Read what ``write_json`` wrote.

    Raises:
        SubmissionError: the file holds no JSON array, or an entry has missing, unknown or wrong fields, or text that
            cannot be written again.
    """
    return [_read(path, number, item) for number, item in enumerate(read_json_array(path))]


def _read(path: Path, number: int, item: object) -> Prediction:
    try:
        return Prediction.model_validate_json(json.dumps(item))  # only in JSON is half of a surrogate pair refused
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        where = ".".join(map(str, fault["loc"])) or "its text"
        raise SubmissionError(
            f"{path}: entry {number}: {where}: {fault['msg']}; expected an entry as a run writes it to submission.json"
        ) from error


def _prediction(result: ClaimResult) -> Prediction:
    pairs = [_evidence(pair) for pair in sorted(result.pairs, key=lambda pair: not pair.answered)]
    return Prediction(
        claim_id=result.claim.id,
        claim=repair(result.claim.text),
        evidence=tuple(pair for pair in pairs if pair.question)
        or (EvidencePair(question=PLACEHOLDER_QUESTION, answer=NO_ANSWER, url="", scraped_text=""),),
        pred_label=result.verdict.label,
        justification=repair(result.verdict.justification),
        confidence=result.verdict.confidence,
    )


def _evidence(pair: QuestionAnswer) -> EvidencePair:
    passage = next(iter(pair.passages), None)
    return EvidencePair(
        question=clean(pair.question),
        answer=clean(pair.answer) or NO_ANSWER,
        url=repair(passage.url) if passage else "",
        scraped_text=repair(passage.text) if passage else "",
    )
