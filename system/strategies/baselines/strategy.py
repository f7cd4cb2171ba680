"""Systems to compare with: single agents, votes, cooperation (DebateCV, table 1), the shared task's own.

All but the last work over evidence that is gathered once.
"""

from system.case import Case, Outcome
from system.graph.records import Verdict
from system.graph.thoughts import Argument, Thought
from system.strategies import strategy
from system.strategies.baselines.steps import ask_of_passages, carry_out, instruct, reason
from system.strategies.steps.evidence import GATHERING, SharedEvidence, gather, give, retrieve, share_evidence
from system.strategies.steps.verdict import conclude, judge, vote

AGENTS = 3


@strategy("single", uses=GATHERING)
async def single(case: Case) -> Outcome:
    """One agent, one prompt with reasoning (chain of thought)."""

    async def verdict() -> Thought[Verdict] | None:
        verdicts = await reason(case, share_evidence(case, await gather(case)))
        return verdicts[0] if verdicts else None

    return await conclude(case, verdict())


@strategy("majority", uses=GATHERING)
async def majority(case: Case) -> Outcome:
    """Three agents reason on their own over the same evidence, and vote."""

    async def verdict() -> Thought[Verdict] | None:
        verdicts = await reason(case, share_evidence(case, await gather(case)), agents=AGENTS)
        return vote(case, verdicts) if verdicts else None

    return await conclude(case, verdict())


@strategy("cooperation", uses=(*GATHERING, "rounds"))
async def cooperation(case: Case) -> Outcome:
    """An instructor and an assistant solve the task together (CAMEL)."""

    async def verdict() -> Thought[Verdict] | None:
        shared_evidence = share_evidence(case, await gather(case))
        verdicts = await reason(case, shared_evidence, transcript=await _work(case, shared_evidence))
        return verdicts[0] if verdicts else None

    return await conclude(case, verdict())


@strategy("baseline", uses=("evidence", "justify"))
async def baseline(case: Case) -> Outcome:
    """The shared task's own order: retrieve for the claim, a question for each passage, a verdict."""

    async def verdict() -> Thought[Verdict] | None:
        given = case.settings.debate.evidence != "retrieved"
        evidence = give(case) if given else await retrieve(case, case.graph.root)
        return await judge(case, await ask_of_passages(case, evidence))

    return await conclude(case, verdict())


async def _work(case: Case, shared_evidence: SharedEvidence) -> list[Thought[Argument]]:
    """Instruction and result in turn, until nothing is left to do or rounds or time run out."""
    transcript: list[Thought[Argument]] = []
    for number in range(1, case.settings.debate.rounds + 1):
        if number > 1 and not case.stopwatch.has_time_for("instruct", "carry out", "carry out"):
            break
        instruction = await instruct(case, shared_evidence, transcript, number)
        if instruction is None:
            break
        transcript.append(instruction)
        result = await carry_out(case, shared_evidence, transcript, number)
        if result is None:
            break
        transcript.append(result)
    return transcript
