"""Consultancy: the consultant's turn, the judge's question, the verdicts of the judges, and what is measured."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

from system.case import Case, Step
from system.deadline import DeadlineExpired
from system.graph.records import Verdict
from system.graph.thoughts import Argument, Speaker, Thought
from system.models.base import Completion
from system.strategies.base import options_of
from system.strategies.consultancy.options import ConsultancyOptions
from system.strategies.consultancy.records import Belief, Persuasion, Ratings
from system.strategies.consultancy.tasks import (
    Advise,
    BeliefReply,
    JudgeSpeakers,
    QuestionSpeakers,
    RatePersuasion,
    StateBelief,
)
from system.strategies.debate.records import Skipped
from system.strategies.steps.evidence import SharedEvidence
from system.strategies.steps.speech import apart, speak
from system.strategies.steps.tasks.ask_question import QuestionReply
from system.strategies.steps.verdict import as_verdict

SIDE = Speaker.AFFIRMATIVE
"""The side that the consultant argues."""


def judges(case: Case) -> tuple[str, ...]:
    """Return the personas of the judges; one judge without a persona if the options name none."""
    return options_of(case, ConsultancyOptions).chosen or ("",)


async def advise(
    case: Case, shared_evidence: SharedEvidence, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The consultant's turn; None when the model failed."""
    task = Advise(
        claim=case.claim,
        agent=apart(case, 0),
        pairs=shared_evidence.pairs,
        evidence=shared_evidence.passages,
        side=SIDE,
        transcript=tuple(thought.content for thought in transcript),
    )
    return await speak(case, "advise", task, Speaker.CONSULTANT, shared_evidence, transcript, number)


async def question_speakers(
    case: Case, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The judge's question about what was said; None when the model failed. Of several judges the first asks."""

    def asked(result: Completion[QuestionReply]) -> Argument:
        return Argument(speaker=Speaker.JUDGE, round=number, text=result.reply.question.strip(), passages=())

    said = tuple(thought.content for thought in transcript)
    task = QuestionSpeakers(claim=case.claim, persona=judges(case)[0], transcript=said)
    (question,) = await case.think("question", [Step(task, asked, transcript, under=case.graph.root)])
    return question


async def judge_speakers(case: Case, transcript: Sequence[Thought[Argument]]) -> list[Thought[Verdict]]:
    """The verdicts of the judges, each on its own; one that failed is left out."""
    said = tuple(thought.content for thought in transcript)
    tasks = [JudgeSpeakers(claim=case.claim, persona=persona, transcript=said) for persona in judges(case)]
    steps = [Step(task, as_verdict, transcript, under=case.graph.root) for task in tasks]
    return [verdict for verdict in await case.think("judge", steps, final=True) if verdict]


Measurement = Callable[[Case, Sequence[Thought[Argument]]], Awaitable[None]]


async def measure(case: Case, what: str, measurement: Measurement, transcript: Sequence[Thought[Argument]]) -> None:
    """Measure something of a session that no verdict needs; where time is short, note that it was skipped."""
    with suppress(DeadlineExpired):
        if case.stopwatch.has_time_for("judge"):  # which reads and writes more than any measurement
            await measurement(case, transcript)
            return
    skipped = Skipped(step=what, reason="there is no time left")
    case.graph.add(skipped, [*transcript] or [case.graph.root], what, under=case.graph.root)


async def state_beliefs(case: Case, transcript: Sequence[Thought[Argument]]) -> None:
    """Ask each judge for its belief; before the speakers the transcript is empty."""

    def believed(persona: str, result: Completion[BeliefReply]) -> Belief:
        return Belief(persona=persona, after=bool(said), percent=result.reply.belief)

    said = tuple(thought.content for thought in transcript)
    steps = [
        Step(
            StateBelief(claim=case.claim, persona=persona, transcript=said),
            partial(believed, persona),
            [*transcript] or [case.graph.root],
            under=case.graph.root,
        )
        for persona in judges(case)
    ]
    await case.think("state beliefs", steps)


async def rate_persuasion(case: Case, transcript: Sequence[Thought[Argument]]) -> None:
    """How each turn of a speaker persuades; the judge's own questions are not rated."""

    def rated(turn: Argument, result: Completion[Ratings]) -> Persuasion:
        side = SIDE if turn.speaker is Speaker.CONSULTANT else turn.speaker
        return Persuasion(speaker=turn.speaker, side=side, round=turn.round, ratings=result.reply)

    steps = [
        Step(
            RatePersuasion(claim=case.claim, argument=thought.content),
            partial(rated, thought.content),
            [thought],
            under=case.graph.root,
        )
        for thought in transcript
        if thought.content.speaker is not Speaker.JUDGE
    ]
    await case.think("rate persuasion", steps)
