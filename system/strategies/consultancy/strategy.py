"""Consultancy, and debate in the same frame (Rahman et al., 2025): a judge decides only by what is said and cited.

A consultant argues a side that it was assigned: it opens and the judge asks, it answers, it gives its final evidence.
In the debate both sides speak in each of the rounds, and the judge asks after each but the last. On demand judges say
before and after what they believe.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial

from pydantic import Field

from system.case import Case, Outcome, Step
from system.deadline import DeadlineExpired
from system.graph.records import Record, Verdict
from system.graph.thoughts import SIDES, Argument, D, Speaker, Thought
from system.models.base import Completion
from system.strategies.base import options_of, strategy
from system.strategies.consultancy import tasks
from system.strategies.consultancy.tasks import JudgeTask
from system.strategies.debate.steps import Conversation
from system.strategies.debate.tasks import Argue
from system.strategies.steps.evidence import GATHERING, gather, share_evidence
from system.strategies.steps.tasks import QuestionReply, Speech
from system.strategies.steps.verdict import as_verdict, conclude, vote
from system.tasks.base import R

ROUNDS = 3  # both protocols have exactly these
PERSONAS = (
    "A retired nurse of 68 from a small town, conservative, who trusts doctors she knows more than agencies.",
    "A software developer of 29 in a large city, liberal, who trusts published studies and official statistics.",
    "A farmer of 51 with a high-school diploma, independent, who suspects that experts serve those who pay them.",
    "A teacher of 42 from a suburb, moderate, who trusts newspapers but wants to see the original source.",
    "A student of 21 in a university town, progressive, who follows the news on social media and doubts all of it.",
    "A shop owner of 58 in a mid-sized city, conservative, who believes that most official figures are embellished.",
)
"""Personas of judges (study II): people of different age, place, schooling and trust in official sources; invented."""

Turns = Collection[tuple[type[Speech], Speaker, Speaker]]  # of a round: the task, who speaks, and for which side


class ConsultancyOptions(Record):
    """Who judges in a consultancy, and what is measured."""

    personas: int = Field(0, ge=0, le=len(PERSONAS), description="judges: the first N bundled personas")
    beliefs: bool = Field(False, description="ask each judge how likely the claim is true, before and after")


@strategy(uses=GATHERING, options=ConsultancyOptions)
async def consultancy(case: Case) -> Outcome:
    """Check a claim with one consultant, who argues that it is true."""
    turns = [(tasks.Advise, Speaker.CONSULTANT, Speaker.AFFIRMATIVE)]
    return await conclude(case, _judged(case, turns, asked_after=[1]))


@strategy(uses=GATHERING, options=ConsultancyOptions)
async def ai_debate(case: Case) -> Outcome:
    """Check a claim with two debaters before the same judge."""
    turns = [(Argue, side, side) for side in SIDES]
    return await conclude(case, _judged(case, turns, asked_after=range(1, ROUNDS)))


async def _judged(case: Case, turns: Turns, asked_after: Collection[int]) -> Thought[Verdict] | None:
    options = options_of(case, ConsultancyOptions)
    personas = PERSONAS[: options.personas] or ("",)
    session = Conversation(case, share_evidence(case, ()))
    if options.beliefs:
        await state_beliefs(session, personas)
    with suppress(DeadlineExpired):  # the judges decide in the reserve, by what was said until then
        session.evidence = share_evidence(case, await gather(case))
        await hold_session(session, turns, asked_after, personas[0])
    if not session.transcript:
        return None
    judging = [_step(session, tasks.JudgeSpeakers, one, as_verdict) for one in personas]
    verdicts = [verdict for verdict in await case.think("judge", judging, final=True) if verdict]
    verdict = vote(case, verdicts) if len(verdicts) > 1 else next(iter(verdicts), None)
    if options.beliefs:
        await state_beliefs(session, personas)
    return verdict


async def hold_session(session: Conversation, turns: Turns, asked_after: Collection[int], persona: str) -> None:
    """Let the speakers take their turns in each round; a judge asks after some. A turn that fails ends it."""
    for number in range(1, ROUNDS + 1):
        for turn in turns:
            if not await session.speak(*turn, number):
                return
        if number in asked_after:
            step = _step(session, tasks.QuestionSpeakers, persona, partial(_as_question, number))
            session.transcript += [one for one in await session.case.think("question", [step]) if one]


def _as_question(number: int, result: Completion[QuestionReply]) -> Argument:
    return Argument(speaker=Speaker.JUDGE, round=number, text=result.reply.question.strip(), passages=())


async def state_beliefs(session: Conversation, personas: Sequence[str]) -> None:
    """Ask each judge for its belief, before the speakers and after; without time for it there is none."""

    def believed(persona: str, result: Completion[tasks.BeliefReply]) -> tasks.Belief:
        return tasks.Belief(persona=persona, after=bool(session.transcript), percent=result.reply.belief)

    steps = [_step(session, tasks.StateBelief, one, partial(believed, one)) for one in personas]
    with suppress(DeadlineExpired):  # the case is marked as timed out
        await session.case.think("state beliefs", steps)


def _step(
    session: Conversation, kind: type[JudgeTask[R]], persona: str, build: Callable[[Completion[R]], D]
) -> Step[R, D]:
    task = kind(claim=session.case.claim, persona=persona, transcript=session.said)
    return Step(task, build, [*session.transcript] or [session.case.graph.root], under=session.case.graph.root)
