"""Conclude: the outcome of a strategy, whatever became of its work."""

import re
from collections.abc import Awaitable
from typing import cast

from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.operations.judge import judge
from system.operations.vote import hold_to_evidence, no_verdict
from system.records import QuestionAnswer, Verdict
from system.speech import Argument
from system.thoughts import Question, Thought


async def conclude(case: Case, work: Awaitable[Thought[Verdict] | None]) -> Outcome:
    """Await a strategy's verdict; where time or model failed it, judge what was found, in the reserve of the budget."""
    try:
        verdict = await work
    except DeadlineExpired:
        verdict = None
    verdict = verdict or await _judge_in_reserve(case) or no_verdict(case)
    pairs = sorted((pair.content for pair in _found(case)), key=lambda pair: not pair.answered)
    arguments = (thought.content for thought in case.graph.holding(Argument))
    return Outcome(
        verdict=hold_to_evidence(case, verdict.content, pairs),
        pairs=tuple(pairs),
        rounds=max((said.round for said in arguments if isinstance(said, Argument)), default=1),
        branches=sum(isinstance(thought.content, Question) for thought in case.graph),
    )


def _found(case: Case) -> list[Thought[QuestionAnswer]]:
    """The merged answers in the order of their questions; that in which they came depends on the clock."""
    found = cast("list[Thought[QuestionAnswer]]", case.graph.holding(QuestionAnswer))
    return sorted(found, key=lambda pair: [int(number) for number in re.findall(r"\d+", pair.id)])


async def _judge_in_reserve(case: Case) -> Thought[Verdict] | None:
    try:
        return await judge(case, _found(case), final=True)
    except DeadlineExpired:
        return None
