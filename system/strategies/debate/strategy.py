"""DebateCV (He et al., 2026, figure 1): debate alone, over evidence that is gathered once."""

from system.case import Case, Outcome
from system.graph.records import Verdict
from system.graph.thoughts import Thought
from system.strategies.base import strategy
from system.strategies.debate.steps import debate
from system.strategies.steps.evidence import GATHERING, gather, share_evidence
from system.strategies.steps.verdict import conclude


@strategy(uses=(*GATHERING, "rounds"))
async def debatecv(case: Case) -> Outcome:
    """Check a claim by debate."""

    async def verdict() -> Thought[Verdict] | None:
        return await debate(case, share_evidence(case, await gather(case)))

    return await conclude(case, verdict())
