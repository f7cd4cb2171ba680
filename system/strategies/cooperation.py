"""Cooperation: an instructor and an assistant solve the task together (the CAMEL baseline of DebateCV's table 1)."""

from system.case import Case, Outcome
from system.operations.baselines import carry_out, instruct, reason
from system.operations.evidence import Exhibits, exhibit, gather
from system.operations.verdict import conclude
from system.records import Verdict
from system.speech import Argument
from system.thoughts import Thought


async def cooperation(case: Case) -> Outcome:
    """Check a claim with two agents who work together."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    exhibits = exhibit(case, await gather(case))
    verdicts = await reason(case, exhibits, transcript=await _work(case, exhibits))
    return verdicts[0] if verdicts else None


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
