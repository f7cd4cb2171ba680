"""What annotators found, for experiments: the golden evidence of DebateCV's table 1, and what the noisy oracle knows.

The system itself never sees it. Golden evidence reaches a strategy as a knowledge store like any other, made of the
annotated answers alone, without labels.
"""

from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from system.claims import ClaimsError
from system.records import Claim, Label, Record


class GoldAnswer(Record):
    """An annotated answer; ``url`` names its source, or its place in the annotation where no source is given."""

    question: str
    text: str
    url: str


class GoldClaim(Record):
    """The annotation of a claim.

    Attributes:
        answers: those of all questions, in the order of the annotation.
    """

    claim: str
    label: Label
    answers: tuple[GoldAnswer, ...]


def read_gold(path: Path) -> list[GoldClaim]:
    """Read an annotated AVeriTeC file; the position is the claim's id.

    Raises:
        ClaimsError: the file is no AVeriTeC array, or a claim lacks its annotation.
    """
    try:
        rows = orjson.loads(path.read_bytes().removeprefix(BOM_UTF8))
    except (OSError, orjson.JSONDecodeError) as error:
        raise ClaimsError(
            f"{path}: expected an annotated AVeriTeC JSON array ({error}); give dev.json or train.json"
        ) from error
    if not isinstance(rows, list):
        raise ClaimsError(f"{path}: expected an annotated AVeriTeC JSON array, came {rows!r:.60}; give dev.json")
    return [_claim(path, number, row) for number, row in enumerate(rows)]


def write_gold_store(path: Path, claims: Sequence[Claim], folder: Path) -> Path:
    """Make a knowledge store of the annotated answers: one page for each, with its question.

    A file that says the same already is left alone, so that a run over it can be resumed.

    Raises:
        ClaimsError: see ``read_gold``.
    """
    gold = read_gold(path)
    folder.mkdir(parents=True, exist_ok=True)
    for claim in claims:
        file = folder / f"{claim.id}.json"
        content = b"".join(_page(claim, answer) for answer in gold[claim.id].answers)
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)
    return folder


def _claim(path: Path, number: int, row: Any) -> GoldClaim:
    try:
        answers = _answers(number, row["questions"])
        return GoldClaim(claim=row["claim"], label=row["label"], answers=answers)
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        raise ClaimsError(
            f"{path}: claim {number}: expected a label and questions, as in AVeriTeC's dev.json "
            f"({type(error).__name__}: {error}); gold evidence can be had of an annotated split only"
        ) from error


def _answers(number: int, questions: Any) -> tuple[GoldAnswer, ...]:
    return tuple(
        GoldAnswer(
            question=question["question"],
            text=" ".join(filter(None, (answer["answer"], answer.get("boolean_explanation")))),
            url=answer.get("source_url") or f"annotation:{number}/{place}",
        )
        for question in questions
        for place, answer in enumerate(question["answers"])
    )


def _page(claim: Claim, answer: GoldAnswer) -> bytes:
    page = {
        "claim_id": str(claim.id),
        "type": "gold",
        "query": answer.question,
        "url": answer.url,
        "url2text": [answer.question, answer.text],
    }
    return orjson.dumps(page, option=orjson.OPT_APPEND_NEWLINE)
