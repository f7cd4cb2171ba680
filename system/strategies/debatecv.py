"""DebateCV (He et al., 2026, figure 1): the debate alone, over evidence that is gathered once."""

from system.case import Case, Outcome
from system.operations.debate import debate
from system.operations.evidence import exhibit, gather
from system.operations.verdict import conclude
from system.records import Verdict
from system.thoughts import Thought


async def debatecv(case: Case) -> Outcome:
    """Check a claim by debate."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    return await debate(case, exhibit(case, await gather(case)))
