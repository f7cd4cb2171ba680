"""Annotations of AVeriTeC: labels, questions and answers. For training, scores and experiments.

The system itself never sees it. Gold evidence reaches a strategy as a knowledge store like any other, made of the
annotated answers alone, without labels.
"""

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from system.averitec.claims import ClaimsError, read_claims
from system.graph.records import AnswerType, Claim, Label, Record, explain

REMEDY = "give an annotated split of AVeriTeC, train.json or dev.json"


class GoldAnswer(Record):
    """An annotator's answer."""

    question: str
    place: int  #: of its question in the annotation, from 0; the answers to one question share it
    text: str
    type: AnswerType = AnswerType.EXTRACTIVE  #: Extractive where the file does not say
    explanation: str = ""  #: why a Boolean answer is so; empty for the other types
    url: str = ""  #: page that the answer was found on, or empty
    archived: str = ""  #: address of an archived copy of that page, or empty
    medium: str = ""  #: what kind of source that is ("Web text", "PDF", "Metadata", …), or empty

    @property
    def full(self) -> str:
        """The answer as the official scorer has it: a Boolean one is followed by its explanation."""
        return f"{self.text.removesuffix('.')}. {self.explanation}" if self.explanation else self.text

    @property
    def answered(self) -> bool:
        """Whether there is anything that a system could have found."""
        return self.type is not AnswerType.UNANSWERABLE


class GoldQuestion(Record):
    """A question with its answers; without any, nobody found one."""

    text: str
    answers: tuple[GoldAnswer, ...] = ()


class GoldClaim(Record):
    """A claim with what the annotators made of it."""

    claim: Claim
    label: Label
    justification: str = ""  #: why the label is what it is, in the annotators' words; may be empty
    types: tuple[str, ...] = ()  #: kinds of claim ("Numerical Claim", …)
    strategies: tuple[str, ...] = ()  #: how the fact-checkers worked ("Numerical Comparison", …)
    questions: tuple[GoldQuestion, ...] = ()

    @property
    def answers(self) -> tuple[GoldAnswer, ...]:
        """The answers to all questions, in the order of the annotation."""
        return tuple(answer for question in self.questions for answer in question.answers)


def read_gold(path: Path) -> list[GoldClaim]:
    """Read an annotated AVeriTeC file, in its order.

    Raises:
        ClaimsError: the file is not an AVeriTeC array, or a claim lacks its annotation.
    """
    claims = read_claims(path)
    try:
        rows = orjson.loads(path.read_bytes().removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError:  # claims as lines of text or of JSON
        rows = None
    if not isinstance(rows, list):
        raise ClaimsError(f"{path}: expected a JSON array of annotated claims; {REMEDY}")
    return [_gold(path, claim, row) for claim, row in zip(claims, rows, strict=True)]


def gold_by_id(path: Path) -> dict[int, GoldClaim]:
    """An annotated AVeriTeC file by the ids of its claims; raises what ``read_gold`` raises."""
    return {one.claim.id: one for one in read_gold(path)}


def write_gold_store(path: Path, claims: Sequence[Claim], folder: Path) -> Path:
    """Make a knowledge store of the annotated answers: one page for each, with its question.

    An unchanged file is left alone, so that a run over it can be resumed.

    Raises:
        ClaimsError: see ``read_gold``.
    """
    gold = gold_by_id(path)
    folder.mkdir(parents=True, exist_ok=True)
    for claim in claims:
        file = folder / f"{claim.id}.json"
        content = b"".join(_page(claim, number, one) for number, one in enumerate(gold[claim.id].answers))
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)
    return folder


def _gold(path: Path, claim: Claim, row: Any) -> GoldClaim:
    try:
        return GoldClaim(
            claim=claim,
            label=row.get("label"),
            justification=_text(row, "justification"),
            types=row.get("claim_types") or (),
            strategies=row.get("fact_checking_strategies") or (),
            questions=tuple(_question(place, one) for place, one in enumerate(row.get("questions") or ())),
        )
    except ValidationError as error:
        reason = explain(error.errors()[0])
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"expected an object with a label, and questions with answers, got {error!r:.120}"
    raise ClaimsError(f"{path}: claim {claim.id}: {reason}; {REMEDY}")


def _question(place: int, row: Mapping[str, Any]) -> GoldQuestion:
    text = row["question"].strip()
    return GoldQuestion(text=text, answers=tuple(_answer(text, place, one) for one in row.get("answers") or ()))


def _answer(question: str, place: int, row: Mapping[str, Any]) -> GoldAnswer:
    kind = row.get("answer_type") or AnswerType.EXTRACTIVE
    return GoldAnswer(
        question=question,
        place=place,
        text=row["answer"].strip(),
        type=kind,
        explanation=_text(row, "boolean_explanation") if kind == AnswerType.BOOLEAN else "",
        url=_text(row, "source_url"),
        archived=_text(row, "cached_source_url"),
        medium=_text(row, "source_medium"),
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    """An optional field; AVeriTeC leaves unknown ones null."""
    return (row.get(name) or "").strip()


def _page(claim: Claim, number: int, answer: GoldAnswer) -> bytes:
    page = {
        "claim_id": str(claim.id),
        "type": "gold",
        "query": answer.question,
        "url": answer.url or f"annotation:{claim.id}/{number}",
        "url2text": [answer.question, answer.full],
    }
    return orjson.dumps(page, option=orjson.OPT_APPEND_NEWLINE)
