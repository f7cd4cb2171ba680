"""Consultancy, and debate in the same frame (Rahman et al., 2025): a judge decides by what is said and cited alone.

A consultant argues a side that it was assigned: it opens and the judge asks, it answers, it gives its final evidence.
In the debate both sides speak in each of the rounds, and the judge asks after each but the last. On demand judges say
before and after what they believe.
"""

from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from functools import partial

from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.graph.records import Verdict
from system.graph.thoughts import SIDES, Argument, Speaker, Thought
from system.strategies.base import options_of, strategy
from system.strategies.consultancy.records import ConsultancyOptions
from system.strategies.consultancy.steps import judge_speakers, question_speakers, state_beliefs
from system.strategies.consultancy.tasks import Advise
from system.strategies.debate.tasks import Argue
from system.strategies.steps.evidence import GATHERING, SharedEvidence, gather, share_evidence
from system.strategies.steps.speech import speak
from system.strategies.steps.verdict import conclude, vote

ROUNDS = 3  # both protocols have exactly these

Transcript = list[Thought[Argument]]
Turn = Callable[[Case, SharedEvidence, Transcript, int], Awaitable[Thought[Argument] | None]]


@strategy(uses=GATHERING, options=ConsultancyOptions)
async def consultancy(case: Case) -> Outcome:
    """Check a claim with one consultant, who argues that it is true."""
    turn = partial(speak, kind=Advise, speaker=Speaker.CONSULTANT, side=Speaker.AFFIRMATIVE)
    return await conclude(case, _judged(case, [turn], asked_after=[1]))


@strategy(uses=GATHERING, options=ConsultancyOptions)
async def ai_debate(case: Case) -> Outcome:
    """Check a claim with two debaters before the same judge."""
    turns = [partial(speak, kind=Argue, speaker=side, side=side) for side in SIDES]
    return await conclude(case, _judged(case, turns, asked_after=range(1, ROUNDS)))


async def hold_session(
    case: Case, turns: Collection[Turn], asked_after: Collection[int], transcript: Transcript
) -> None:
    """Let the speakers take their turns in each round; the judge asks after some. A turn that fails ends it."""
    shared_evidence = share_evidence(case, await gather(case))
    for number in range(1, ROUNDS + 1):
        for turn in turns:
            said = await turn(case, shared_evidence, transcript, number)
            if said is None:
                return
            transcript.append(said)
        if number in asked_after and (question := await question_speakers(case, transcript, number)):
            transcript.append(question)


async def _judged(case: Case, turns: Collection[Turn], asked_after: Collection[int]) -> Thought[Verdict] | None:
    options = options_of(case, ConsultancyOptions)
    transcript: Transcript = []
    if options.beliefs:
        await state_beliefs(case, transcript)
    with suppress(DeadlineExpired):  # the judges decide in the reserve, by what was said until then
        await hold_session(case, turns, asked_after, transcript)
    if not transcript:
        return None
    verdicts = await judge_speakers(case, transcript)
    verdict = vote(case, verdicts) if len(verdicts) > 1 else next(iter(verdicts), None)
    if options.beliefs:
        await state_beliefs(case, transcript)
    return verdict
