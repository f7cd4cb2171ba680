"""Systems to compare with: debate alone, single agents, votes, cooperation (DebateCV, table 1), the shared task's own.

All but the last work over evidence that is gathered once.
"""

from system.case import Case, Outcome
from system.operations.baselines import ask_of_passages, carry_out, instruct, reason
from system.operations.debate import debate
from system.operations.evidence import Exhibits, exhibit, gather, retrieve
from system.operations.verdict import conclude, judge, vote
from system.records import Verdict
from system.thoughts import Argument, Thought

AGENTS = 3


async def debatecv(case: Case) -> Outcome:
    """DebateCV (He et al., 2026, figure 1): check a claim by debate."""

    async def verdict() -> Thought[Verdict] | None:
        return await debate(case, exhibit(case, await gather(case)))

    return await conclude(case, verdict())


async def single(case: Case) -> Outcome:
    """One agent, one prompt with reasoning (chain of thought)."""

    async def verdict() -> Thought[Verdict] | None:
        verdicts = await reason(case, exhibit(case, await gather(case)))
        return verdicts[0] if verdicts else None

    return await conclude(case, verdict())


async def majority(case: Case) -> Outcome:
    """Three agents reason on their own over the same evidence, and vote."""

    async def verdict() -> Thought[Verdict] | None:
        verdicts = await reason(case, exhibit(case, await gather(case)), agents=AGENTS)
        return vote(case, verdicts) if verdicts else None

    return await conclude(case, verdict())


async def cooperation(case: Case) -> Outcome:
    """An instructor and an assistant solve the task together (CAMEL)."""

    async def verdict() -> Thought[Verdict] | None:
        exhibits = exhibit(case, await gather(case))
        verdicts = await reason(case, exhibits, transcript=await _work(case, exhibits))
        return verdicts[0] if verdicts else None

    return await conclude(case, verdict())


async def baseline(case: Case) -> Outcome:
    """The shared task's own order: retrieve for the claim, a question for each passage, a verdict."""

    async def verdict() -> Thought[Verdict] | None:
        return await judge(case, await ask_of_passages(case, await retrieve(case, case.graph.root)))

    return await conclude(case, verdict())


async def _work(case: Case, exhibits: Exhibits) -> list[Thought[Argument]]:
    """Instruction and result in turn, until nothing is left to do or rounds or time run out."""
    transcript: list[Thought[Argument]] = []
    for number in range(1, case.settings.debate.rounds + 1):
        if number > 1 and not case.affords("instruct", "carry out", "carry out"):
            break
        instruction = await instruct(case, exhibits, transcript, number)
        if instruction is None:
            break
        transcript.append(instruction)
        result = await carry_out(case, exhibits, transcript, number)
        if result is None:
            break
        transcript.append(result)
    return transcript
