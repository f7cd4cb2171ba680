"""Consultancy, and debate in the same frame (Rahman et al., 2025): a judge decides by what is said and cited alone.

A consultant argues a side that it was assigned: it opens and the judge asks, it answers, it gives its final evidence.
In the debate both sides speak in each of the rounds, and the judge asks after each but the last. On demand judges say
before and after what they believe, and the speakers' turns are rated by how they persuade.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.graph.records import Verdict
from system.graph.thoughts import SIDES, Argument, Thought
from system.strategies.base import options_of, strategy
from system.strategies.consultancy.options import ConsultancyOptions
from system.strategies.consultancy.steps import (
    advise,
    judge_speakers,
    measure,
    question_speakers,
    rate_persuasion,
    state_beliefs,
)
from system.strategies.debate.steps import argue
from system.strategies.steps.evidence import GATHERING, SharedEvidence, gather, share_evidence
from system.strategies.steps.verdict import conclude, vote

ROUNDS = 3  # both protocols have exactly these

Transcript = list[Thought[Argument]]
Session = Callable[[Case, SharedEvidence, Transcript], Awaitable[None]]


@strategy(uses=GATHERING, options=ConsultancyOptions)
async def consultancy(case: Case) -> Outcome:
    """Check a claim with one consultant, who argues that it is true."""
    return await conclude(case, _judged(case, consult))


@strategy(uses=GATHERING, options=ConsultancyOptions)
async def ai_debate(case: Case) -> Outcome:
    """Check a claim with two debaters before the same judge."""
    return await conclude(case, _judged(case, debate_before_judge))


async def consult(case: Case, shared_evidence: SharedEvidence, transcript: Transcript) -> None:
    """Opening and the judge's question, answer, final evidence."""
    for number in range(1, ROUNDS + 1):
        said = await advise(case, shared_evidence, transcript, number)
        if said is None:
            return
        transcript.append(said)
        if number == 1 and (question := await question_speakers(case, transcript, number)):
            transcript.append(question)


async def debate_before_judge(case: Case, shared_evidence: SharedEvidence, transcript: Transcript) -> None:
    """Each side in turn, then the judge's question; three complete rounds."""
    for number in range(1, ROUNDS + 1):
        for side in SIDES:
            said = await argue(case, shared_evidence, side, transcript, number)
            if said is None:
                return
            transcript.append(said)
        if number < ROUNDS and (question := await question_speakers(case, transcript, number)):
            transcript.append(question)


async def _judged(case: Case, session: Session) -> Thought[Verdict] | None:
    options = options_of(case, ConsultancyOptions)
    transcript: Transcript = []
    if options.beliefs:
        await measure(case, "beliefs before", state_beliefs, transcript)
    with suppress(DeadlineExpired):  # the judges decide in the reserve, by what was said until then
        await session(case, share_evidence(case, await gather(case)), transcript)
    if not transcript:
        return None
    verdicts = await judge_speakers(case, transcript)
    verdict = vote(case, verdicts) if len(verdicts) > 1 else next(iter(verdicts), None)
    if options.beliefs:
        await measure(case, "beliefs after", state_beliefs, transcript)
    if options.persuasion:
        await measure(case, "persuasion", rate_persuasion, transcript)
    return verdict
