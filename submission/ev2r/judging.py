"""Compare the evidence of all claims with gold evidence, each comparison asked once, and keep the judge's replies."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from submission.ev2r.replies import Judgement, Mode, Unit, UnreadableReply, read_reply
from submission.read import Pair, Pairs
from system.files.journal import JournalError, RecordJournal
from system.files.texts import repair
from system.graph.records import Record

MAX_CONCURRENT = 64
"""Comparisons sent to the judge at the same time."""
ATTEMPTS = {Mode.STRICT: 2, Mode.COMPATIBLE: 1}
"""Attempts before a comparison is given up; the official scorer never repeats one."""
Outcome = Judgement | str
"""A judgement, or why there is none."""


class ComparedPairs(Record):
    """Predicted pairs beside the gold pairs of the same claim; answers are ignored if the unit is questions."""

    claim_id: int
    claim: str
    unit: Unit
    predicted: Pairs
    gold: Pairs

    def key(self, judge: str, attempt: int) -> str:
        """Return a hash of the content, without the claim's id, of the judge's name and of the attempt."""
        content = self.model_dump_json(exclude={"claim_id"})
        return hashlib.sha256("\0".join((judge, str(attempt), content)).encode()).hexdigest()


class JudgeError(Exception):
    """The judge has no reply to a comparison; the message says why."""


class Judge(Protocol):
    """A judge; ``name`` names model and prompts: replies of judges with one name are interchangeable."""

    name: str

    async def reply(self, comparison: ComparedPairs, attempt: int) -> str:
        """Return the judge's reply as it was written; may be called concurrently.

        Args:
            attempt: 0, or 1 if the first reply could not be read: then the judge should reply otherwise.

        Raises:
            JudgeError: there is none, and asking again would not help.
            SubmissionError: the judge is gone, and no comparison will get a reply.
        """

    async def close(self) -> None:
        """Free the judge's resources."""


def comparisons(pairs: Sequence[Pair]) -> list[ComparedPairs]:
    """Return both comparisons of each claim, with all pairs, because Ev2R reads more than the first ten."""
    return [
        ComparedPairs(
            claim_id=one.gold.claim_id,
            claim=one.gold.claim,
            unit=unit,
            predicted=one.predicted.texts,
            gold=one.gold.pairs,
        )
        for one in pairs
        for unit in Unit
    ]


class KeptReply(Record):
    """A judge's reply under the key of its comparison; the claim's id only helps people who read the file."""

    key: str
    claim_id: int
    reply: str


class ReplyJournal(RecordJournal[KeptReply]):
    """The judge's replies on disk: nothing is asked twice, and a run that was stopped resumes.

    Several runs, predictions and judges may share a file, because a key names everything that a reply depends on.

    Raises:
        JournalError: the file cannot be written, another run holds it, or a line within it is damaged.
    """

    what = "kept reply"
    option = "--judgements"

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            super().__init__(path, None, True, KeptReply)
        except OSError as error:
            raise JournalError(f"{path}: cannot be written ({error.strerror}); give another --judgements") from error
        self._replies = {kept.key: kept.reply for kept in self.finished}

    def get(self, key: str) -> str | None:
        """Return the reply that was kept under a key."""
        return self._replies.get(key)

    def keep(self, key: str, reply: str, claim_id: int) -> None:
        """Write a reply and wait until it is on the disk.

        Raises:
            JournalError: the disk is full or gone; earlier replies stay readable.
        """
        try:
            self.append(kept := KeptReply(key=key, claim_id=claim_id, reply=repair(reply)))
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be written ({error.strerror}); make room and resume") from error
        self._replies[key] = kept.reply


async def judge_all(asked: Sequence[ComparedPairs], judge: Judge, journal: ReplyJournal, mode: Mode) -> list[Outcome]:
    """Return the outcome of each comparison, in order; ask equal ones once, and close the judge at the end.

    Raises:
        SubmissionError: the judge is gone. Its replies so far are in the journal.
    """
    distinct = {one.key(judge.name, 0): one for one in asked}
    room = asyncio.Semaphore(MAX_CONCURRENT)
    try:
        with tqdm(total=len(distinct), desc="judging", unit="comparison", disable=None) as progress:

            async def outcome(comparison: ComparedPairs) -> Outcome:
                async with room:
                    result = await _judge(comparison, judge, journal, mode)
                progress.update()
                return result

            outcomes = dict(zip(distinct, await asyncio.gather(*map(outcome, distinct.values())), strict=True))
    finally:
        await judge.close()
    return [outcomes[one.key(judge.name, 0)] for one in asked]


async def _judge(comparison: ComparedPairs, judge: Judge, journal: ReplyJournal, mode: Mode) -> Outcome:
    reason = ""
    for attempt in range(ATTEMPTS[mode]):
        key = comparison.key(judge.name, attempt)
        try:
            raw = journal.get(key)
            if raw is None:
                raw = await judge.reply(comparison, attempt)
                journal.keep(key, raw, comparison.claim_id)
            return read_reply(raw, comparison.unit, mode)
        except UnreadableReply as error:
            reason = f"unreadable reply: {error}"
        except JudgeError as error:
            return str(error)
    return reason
