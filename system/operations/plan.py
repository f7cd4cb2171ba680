"""Plan: in which phases and how the subclaims are verified (CARP, section 3.5)."""

from system.case import Case
from system.claim_analysis import ClaimGraph, Plan, Subclaims
from system.models.base import Completion, ErrorKind, ModelError
from system.operations.decompose import NO_GRAPH
from system.operations.draft import draft
from system.records import Content
from system.tasks.carp import PlanVerification
from system.thoughts import Thought


async def plan(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph] | None) -> Thought[Plan]:
    """The verification plan; where the model gave none that covers every subclaim, one phase that looks each up."""
    parents: list[Thought[Content]] = [subclaims, graph] if graph else [subclaims]
    texts = subclaims.content.subclaims
    task = PlanVerification(claim=case.claim, subclaims=texts, graph=graph.content if graph else NO_GRAPH)
    (result,) = await draft(case, "plan", [task])
    if isinstance(result, Completion) and not result.reply.covers(len(texts)):
        message = f"expected a plan with steps for subclaims 1 to {len(texts)} and no others"
        result = ModelError(ErrorKind.MALFORMED_REPLY, message, result.cost, result.prompt, result.raw)
    if isinstance(result, ModelError):
        case.fail("plan", result, parents)
        return case.graph.add(Plan.in_one_phase(texts), parents, "plan")
    return case.graph.add(Plan(**dict(result.reply)), parents, "plan", result.cost)
