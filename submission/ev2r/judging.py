"""Have a judge compare the evidence of all claims with gold evidence, each prompt asked once, and keep its replies."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict
from tqdm import tqdm

from submission.ev2r.judge import Judge, JudgeError
from submission.ev2r.replies import Judgement, Unit, UnreadableReply, read_reply
from submission.read import Pair
from system.files.journal import JournalError, RecordJournal
from system.files.texts import repair
from system.graph.records import Record

MAX_CONCURRENT = 64
"""Prompts sent to the judge at the same time."""
Outcome = Judgement | str
"""A judgement, or why there is none."""


class KeptReply(Record):
    """A judge's reply under the hash of the judge's name and the prompt."""

    model_config = ConfigDict(extra="ignore")  # an earlier version also wrote the claim's id

    key: str
    reply: str


class ReplyJournal(RecordJournal[KeptReply]):
    """The judge's replies on disk: nothing is asked twice, and a run that was stopped resumes.

    Several runs, predictions and judges may share a file, because a key names everything that a reply depends on.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            super().__init__(path, None, True, KeptReply)
        except OSError as error:
            raise JournalError(f"{path}: cannot be written ({error.strerror}); give another --judgements") from error
        self.replies = {kept.key: kept.reply for kept in self.finished}

    def keep(self, key: str, reply: str) -> None:
        """Write a reply and wait until it is on the disk; if that is full or gone, earlier replies stay readable."""
        try:
            self.append(kept := KeptReply(key=key, reply=repair(reply)))
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be written ({error.strerror}); make room and resume") from error
        self.replies[key] = kept.reply


async def judge_all(pairs: Sequence[Pair], judge: Judge, journal: ReplyJournal) -> list[dict[Unit, Outcome]]:
    """Return the outcomes of each pair, in order; ask equal prompts once, and close the judge at the end.

    All evidence is compared, because Ev2R reads more than the first ten pairs.
    """
    prompts = {(number, unit): judge.prompt(pair, unit) for number, pair in enumerate(pairs) for unit in Unit}
    distinct = {prompt: unit for (_, unit), prompt in prompts.items()}
    room = asyncio.Semaphore(MAX_CONCURRENT)
    try:
        with tqdm(total=len(distinct), desc="judging", unit="prompt", disable=None) as progress:

            async def outcome(prompt: str, unit: Unit) -> Outcome:
                async with room:
                    result = await _judge(prompt, unit, judge, journal)
                progress.update()
                return result

            outcomes = await asyncio.gather(*(outcome(prompt, unit) for prompt, unit in distinct.items()))
    finally:
        await judge.close()
    by_prompt = dict(zip(distinct, outcomes, strict=True))
    return [{unit: by_prompt[prompts[number, unit]] for unit in Unit} for number in range(len(pairs))]


async def _judge(prompt: str, unit: Unit, judge: Judge, journal: ReplyJournal) -> Outcome:
    key = hashlib.sha256(f"{judge.name}\0{prompt}".encode()).hexdigest()
    try:
        if key not in journal.replies:
            journal.keep(key, await judge.reply(prompt))
        return read_reply(journal.replies[key], unit)
    except UnreadableReply as error:
        return f"unreadable reply: {error}"
    except JudgeError as error:
        return str(error)
