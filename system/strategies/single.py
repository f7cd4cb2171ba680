"""Single: one agent, one prompt with reasoning (the chain-of-thought baseline of DebateCV's table 1)."""

from system.case import Case, Outcome
from system.operations.baselines import reason
from system.operations.evidence import exhibit, gather
from system.operations.verdict import conclude
from system.records import Verdict
from system.thoughts import Thought


async def single(case: Case) -> Outcome:
    """Check a claim with one prompt over the gathered evidence."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    verdicts = await reason(case, exhibit(case, await gather(case)))
    return verdicts[0] if verdicts else None
