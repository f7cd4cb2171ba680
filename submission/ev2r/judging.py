"""Asking a judge about all claims, each thing once."""

import asyncio
from collections.abc import Sequence

from tqdm import tqdm

from submission.ev2r.comparisons import Comparison, Judge, JudgeError, Judgement
from submission.ev2r.journal import ReplyJournal
from submission.ev2r.replies import Mode, UnreadableReply, read_reply

IN_FLIGHT = 64
"""Comparisons that the judge has before it at the same time, at most."""

ATTEMPTS = {Mode.STRICT: 2, Mode.COMPATIBLE: 1}
"""How often the judge is asked before a comparison is given up; the official scorer never repeats a reply."""

Outcome = Judgement | str
"""A judgement, or why there is none."""


async def judge_all(asked: Sequence[Comparison], judge: Judge, journal: ReplyJournal, mode: Mode) -> list[Outcome]:
    """The outcome of each comparison, in order; equal ones are asked once. The judge is closed at the end.

    Raises:
        SubmissionError: the judge is gone. What it replied so far is in the journal.
    """
    try:
        return await _judge_distinct(asked, judge, journal, mode)
    finally:
        await judge.close()


async def _judge_distinct(
    asked: Sequence[Comparison], judge: Judge, journal: ReplyJournal, mode: Mode
) -> list[Outcome]:
    distinct = {one.key(judge.name, 0): one for one in asked}
    room = asyncio.Semaphore(IN_FLIGHT)
    with tqdm(total=len(distinct), desc="judging", unit="comparison", disable=None) as progress:

        async def outcome(comparison: Comparison) -> Outcome:
            async with room:
                result = await _judge(comparison, judge, journal, mode)
            progress.update()
            return result

        outcomes = dict(zip(distinct, await asyncio.gather(*map(outcome, distinct.values())), strict=True))
    return [outcomes[one.key(judge.name, 0)] for one in asked]


async def _judge(comparison: Comparison, judge: Judge, journal: ReplyJournal, mode: Mode) -> Outcome:
    reason = ""
    for attempt in range(ATTEMPTS[mode]):
        try:
            raw = await _reply(comparison, attempt, judge, journal)
            return read_reply(raw, comparison.unit, mode)
        except UnreadableReply as error:
            reason = f"unreadable reply: {error}"
        except JudgeError as error:
            return str(error)
    return reason


async def _reply(comparison: Comparison, attempt: int, judge: Judge, journal: ReplyJournal) -> str:
    key = comparison.key(judge.name, attempt)
    raw = journal.get(key)
    if raw is None:
        raw = await judge.reply(comparison, attempt)
        journal.append(key, raw, comparison.claim_id)
    return raw
