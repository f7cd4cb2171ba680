"""Decompose: the claim as subclaims that can each be verified alone (CARP, section 3.3)."""

from system.case import Case
from system.claim_analysis import ClaimGraph, Subclaims
from system.models.base import Completion, ErrorKind, ModelError
from system.operations.draft import draft
from system.tasks.carp import DecomposeClaim, GraphClaim, RefineSubclaims
from system.thoughts import Thought

NO_GRAPH = ClaimGraph(entities=(), relations=())


async def decompose(case: Case) -> Thought[Subclaims]:
    """The first set of subclaims; the claim itself where the model gave none."""
    (result,) = await draft(case, "decompose", [DecomposeClaim(claim=case.claim)])
    if isinstance(result, ModelError):
        case.fail("decompose", result, [case.graph.root])
        return case.graph.add(Subclaims(subclaims=(case.claim.text,)), [case.graph.root], "decompose")
    subclaims = Subclaims(subclaims=result.reply.subclaims)
    return case.graph.add(subclaims, [case.graph.root], "decompose", result.cost)


async def graph_claim(case: Case, subclaims: Thought[Subclaims]) -> Thought[ClaimGraph]:
    """The claim-representation graph; one without entities where the model gave none."""
    task = GraphClaim(claim=case.claim, subclaims=subclaims.content.subclaims)
    (result,) = await draft(case, "graph claim", [task])
    if isinstance(result, ModelError):
        case.fail("graph claim", result, [subclaims])
        return case.graph.add(NO_GRAPH, [subclaims], "graph claim")
    graph = ClaimGraph(entities=result.reply.entities, relations=result.reply.relations)
    return case.graph.add(graph, [subclaims], "graph claim", result.cost)


async def refine(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph]) -> Thought[Subclaims]:
    """The subclaims with all references resolved; as they were where refining them failed or lost one."""
    before = subclaims.content.subclaims
    task = RefineSubclaims(claim=case.claim, subclaims=before, graph=graph.content)
    (result,) = await draft(case, "refine", [task])
    if isinstance(result, Completion) and len(result.reply.subclaims) != len(before):
        message = f"expected {len(before)} subclaims, got {len(result.reply.subclaims)}"
        result = ModelError(ErrorKind.MALFORMED_REPLY, message, result.cost, result.prompt, result.raw)
    if isinstance(result, ModelError):
        case.fail("refine", result, [subclaims, graph])
        return subclaims
    refined = Subclaims(subclaims=result.reply.subclaims)
    return case.graph.add(refined, [subclaims, graph], "refine", result.cost)
