"""What a judge is asked, and what comes of it."""

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from submission.pairing import Pair
from submission.reading import Pairs
from system.records import Record


class Unit(StrEnum):
    """What is compared: questions with their answers, or questions alone. The names stand in the judge's replies."""

    EVIDENCE = "evidence"
    QUESTIONS = "questions"


class Comparison(Record):
    """Predicted pairs beside the gold pairs of the same claim; of questions alone, the answers are of no account."""

    claim_id: int
    claim: str
    unit: Unit
    predicted: Pairs
    gold: Pairs

    def key(self, judge: str, attempt: int) -> str:
        """Names the content, whatever claim it belongs to, together with who was asked and how often before."""
        content = self.model_dump_json(exclude={"claim_id"})
        return hashlib.sha256("\0".join((judge, str(attempt), content)).encode()).hexdigest()


class Judgement(Record):
    """How much of each side the other supports; more than 1 where the official scorer believes a judge's count."""

    precision: float
    recall: float


class JudgeError(Exception):
    """The judge has no reply to a comparison; the message says why."""


class Judge(Protocol):
    """Whoever replies to comparisons.

    Attributes:
        name: names the model and the prompts: replies of judges with one name may stand for one another.
    """

    name: str

    async def reply(self, comparison: Comparison, attempt: int) -> str:
        """The judge's reply as it was written; many callers may wait at the same time.

        Args:
            attempt: 0, or 1 where the first reply could not be read: then the judge should reply otherwise.

        Raises:
            JudgeError: there is none, and asking again would not help.
            SubmissionError: the judge is gone, and no comparison will get a reply.
        """
        ...

    async def close(self) -> None:
        """Free what the judge holds."""
        ...


def comparisons(pairs: Sequence[Pair]) -> list[Comparison]:
    """Both comparisons of each claim: all pairs, as Ev2R reads more than the first ten."""
    return [
        Comparison(
            claim_id=pair.gold.claim_id,
            claim=pair.gold.claim,
            unit=unit,
            predicted=pair.predicted.pairs,
            gold=pair.gold.pairs,
        )
        for pair in pairs
        for unit in Unit
    ]
