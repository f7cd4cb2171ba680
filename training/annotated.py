"""AVeriTeC with its annotations: gold labels, questions and answers. Only training and evaluation look at them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from system.claims import read_claims
from system.records import AnswerType, Claim, Label

REMEDY = "give an annotated split of AVeriTeC, train.json or dev.json"


class AnnotationError(Exception):
    """A claim lacks the annotations that training needs; the message names the file and the claim."""


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """An annotator's answer.

    Attributes:
        explanation: why a Boolean answer is so; empty for the other types.
        place: of its question in the annotation, from 0; the answers to one question share it.
        url: page that the answer was found on, or empty.
        copy: address of an archived copy of that page, or empty.
        medium: what kind of source that is ("Web text", "PDF", "Metadata", …), or empty.
    """

    question: str
    place: int
    text: str
    type: AnswerType
    explanation: str
    url: str
    copy: str
    medium: str


@dataclass(frozen=True, slots=True)
class AnnotatedClaim:
    """A claim with what the annotators made of it.

    Attributes:
        justification: why the label is what it is, in the annotators' words; may be empty.
    """

    claim: Claim
    label: Label
    justification: str
    answers: tuple[GoldAnswer, ...]


def read_annotated(path: Path) -> list[AnnotatedClaim]:
    """Read an annotated split in the order of the file; claims without text are left out.

    Raises:
        ClaimsError: the file is not an AVeriTeC array.
        AnnotationError: a claim has no label or malformed annotations.
    """
    claims = read_claims(path)
    records = _array(path)
    return [_annotated(path, claim, records[claim.id]) for claim in claims if claim.text.strip()]


def _array(path: Path) -> list[Any]:
    try:
        records = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):  # no JSON, numbers of thousands of digits, nested too deeply
        records = None
    if not isinstance(records, list):
        raise AnnotationError(f"{path}: expected one JSON array of claims with their annotations; {REMEDY}")
    return records


def _annotated(path: Path, claim: Claim, record: Any) -> AnnotatedClaim:
    try:
        answers = tuple(
            GoldAnswer(
                question=question["question"].strip(),
                place=place,
                text=answer["answer"].strip(),
                type=AnswerType(answer["answer_type"]),
                explanation=(answer.get("boolean_explanation") or "").strip(),
                url=answer.get("source_url") or "",
                copy=answer.get("cached_source_url") or "",
                medium=answer.get("source_medium") or "",
            )
            for place, question in enumerate(record["questions"])
            for answer in question["answers"]
        )
        justification = (record.get("justification") or "").strip()
        return AnnotatedClaim(claim, Label(record["label"]), justification, answers)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise AnnotationError(
            f"{path}: claim {claim.id} has no annotations of AVeriTeC's form ({error!r}); {REMEDY}"
        ) from error
