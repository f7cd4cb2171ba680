"""Steps of a consultancy: the consultant's turn, the judge's question and verdict, and what is measured."""

from collections.abc import Sequence
from functools import partial

from system.case import Case, Step
from system.graph.records import Content, Verdict
from system.graph.thoughts import Argument, Speaker, Thought
from system.models.base import Completion
from system.strategies.base import options_of
from system.strategies.consultancy.records import Belief, ConsultancyOptions, Persuasion, Ratings
from system.strategies.consultancy.tasks import (
    BeliefReply,
    JudgeSpeakers,
    QuestionSpeakers,
    RatePersuasion,
    StateBelief,
)
from system.strategies.steps.tasks import QuestionReply
from system.strategies.steps.verdict import as_verdict

SIDE = Speaker.AFFIRMATIVE
"""The side that the consultant argues."""


def judges(case: Case) -> tuple[str, ...]:
    """Return the personas of the judges; one judge without a persona if the options name none."""
    return options_of(case, ConsultancyOptions).chosen or ("",)


async def question_speakers(
    case: Case, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """Ask the judge's question about what was said; None when the model failed. Of several judges the first asks."""

    def asked(result: Completion[QuestionReply]) -> Argument:
        return Argument(speaker=Speaker.JUDGE, round=number, text=result.reply.question.strip(), passages=())

    task = QuestionSpeakers(claim=case.claim, persona=judges(case)[0], transcript=_said(transcript))
    (question,) = await case.think("question", [Step(task, asked, transcript, under=case.graph.root)])
    return question


async def judge_speakers(case: Case, transcript: Sequence[Thought[Argument]]) -> list[Thought[Verdict]]:
    """Return the verdicts of the judges, each on its own; one that failed is left out."""
    tasks = [JudgeSpeakers(claim=case.claim, persona=one, transcript=_said(transcript)) for one in judges(case)]
    steps = [Step(task, as_verdict, transcript, under=case.graph.root) for task in tasks]
    return [verdict for verdict in await case.think("judge", steps, final=True) if verdict]


async def state_beliefs(case: Case, transcript: Sequence[Thought[Argument]]) -> None:
    """Ask each judge for its belief; before the speakers the transcript is empty."""

    def believed(persona: str, result: Completion[BeliefReply]) -> Belief:
        return Belief(persona=persona, after=bool(transcript), percent=result.reply.belief)

    root = case.graph.root
    parents: list[Thought[Content]] = [*transcript] or [root]
    tasks = [StateBelief(claim=case.claim, persona=one, transcript=_said(transcript)) for one in judges(case)]
    steps = [Step(task, partial(believed, task.persona), parents, under=root) for task in tasks]
    await case.think("state beliefs", steps)


async def rate_persuasion(case: Case, transcript: Sequence[Thought[Argument]]) -> None:
    """Rate how each turn of a speaker persuades; the judge's own questions are not rated."""

    def rated(turn: Argument, result: Completion[Ratings]) -> Persuasion:
        side = SIDE if turn.speaker is Speaker.CONSULTANT else turn.speaker
        return Persuasion(speaker=turn.speaker, side=side, round=turn.round, ratings=result.reply)

    turns = [turn for turn in transcript if turn.content.speaker is not Speaker.JUDGE]
    tasks = [RatePersuasion(claim=case.claim, argument=turn.content) for turn in turns]
    steps = [
        Step(task, partial(rated, turn.content), [turn], under=case.graph.root)
        for task, turn in zip(tasks, turns, strict=True)
    ]
    await case.think("rate persuasion", steps)


def _said(transcript: Sequence[Thought[Argument]]) -> tuple[Argument, ...]:
    return tuple(thought.content for thought in transcript)
