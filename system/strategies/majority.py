"""Majority: three agents reason on their own, and vote (the baseline of DebateCV's table 1)."""

from system.case import Case, Outcome
from system.operations.baselines import reason
from system.operations.evidence import exhibit, gather
from system.operations.verdict import conclude, vote
from system.records import Verdict
from system.thoughts import Thought

AGENTS = 3


async def majority(case: Case) -> Outcome:
    """Check a claim by the vote of independent agents over the same evidence."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    verdicts = await reason(case, exhibit(case, await gather(case)), agents=AGENTS)
    return vote(case, verdicts) if verdicts else None
