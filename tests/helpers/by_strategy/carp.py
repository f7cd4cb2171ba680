"""CARP: ordinary replies about the bridge, a task of every kind, and records for a graph."""

from collections.abc import Sequence

from knowledge_store.pages.page import Passage
from system.graph.graph import Graph
from system.graph.records import Claim, Content, Cost, Label, QuestionAnswer
from system.graph.thoughts import Thought
from system.strategies.carp import tasks as carp
from system.strategies.steps.tasks import VerdictReply
from system.tasks.base import Reply, Task
from tests.helpers.scripted import Line

SUBCLAIMS = ("A bridge over the Aster exists.", "It opened in 1932.")
REFINED = ("A bridge over the Aster exists.", "The Aster bridge opened in 1932.")
CLAIM_GRAPH = carp.ClaimGraph(
    entities=(carp.Entity(name="Aster bridge", mentions=("a bridge over the Aster", "it"), subclaims=(1, 2)),),
    relations=(carp.Relation(subject="Aster bridge", relation="opened in", object="1932"),),
)

NESTED = (carp.GraphClaim, carp.PlanVerification)
SPEAKING = ("carp",)

_ITS: dict[str, object] = {"strategy": "carp"}
RUNS = {
    "options.claim_graph": (False, _ITS),
    "options.self_correction": (False, _ITS),
    "options.drafts": (False, _ITS),
    "options.multi_hop": (False, {**_ITS, "retrieval__top_k": 5}),
}


def plan_of(phases: Sequence[Sequence[int]], derived: str = "") -> carp.Plan:
    """A plan whose phases have the steps for these subclaims."""
    how = {"action": "check_temporal_fact", "strategy": "factual lookup", "evidence_type": "chronicles"}

    def check(subclaim: int) -> carp.Check:
        return carp.Check(subclaim=subclaim, query_hint=f"Aster bridge {subclaim}", derived_question=derived, **how)

    def phase(number: int, subclaims: Sequence[int]) -> carp.Phase:
        steps = tuple(check(subclaim) for subclaim in subclaims)
        return carp.Phase(id=number, goal=f"Goal {number}.", depends_on=tuple(range(1, number)), steps=steps)

    logical = (carp.Dependency(kind="logical", first=1, then=2),)
    planned = tuple(phase(number, subclaims) for number, subclaims in enumerate(phases, start=1))
    return carp.Plan(dependencies=logical, phases=planned, requires_all=True, resolution="Both must hold.")


def stated(position: carp.Position, *citations: int) -> carp.StatementReply:
    """An agent's reply."""
    return carp.StatementReply(statement="So it is.", citations=list(citations), position=position, confidence=80)


def reply_to(task: Task) -> Line:
    """The ordinary reply to a task; None to one of another strategy."""
    match task:
        case carp.DecomposeClaim():
            return carp.Subclaims(subclaims=SUBCLAIMS)
        case carp.GraphClaim():
            return CLAIM_GRAPH
        case carp.RefineSubclaims(subclaims=subclaims):
            return carp.Subclaims(subclaims=REFINED[-len(subclaims) :])
        case carp.PlanVerification(subclaims=subclaims):
            return plan_of([[number] for number in range(1, len(subclaims) + 1)])
        case carp.StateCase(team=team, evidence=evidence):
            return stated("SUPPORT" if team == "support" else "REFUTE", *[1][: len(evidence)])
        case carp.CorrectOneself():
            return stated("REFUTE")
        case carp.DecideBetweenTeams():
            return VerdictReply(justification="All parts hold.", label=Label.SUPPORTED)
    return None


def stance(team: carp.Team, position: carp.Position, cites: tuple[Passage, ...] = (), phase: int = 1) -> carp.Stance:
    """What an agent says on a phase, or having read the other team (phase 0), when it changes its position."""
    said = {"text": "The council paid.", "position": position, "confidence": 0.7, "passages": cites}
    return carp.Stance(team=team, agent=0, phase=phase, changed=not phase, **said)


CONTENTS: tuple[Content, ...] = (
    carp.Subclaims(subclaims=SUBCLAIMS),
    CLAIM_GRAPH,
    plan_of([[1], [2]]),
    stance("support", "REFUTE", (Passage(text="Some text.", url="https://page0.example", page=0, start=0),), phase=0),
)


def tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks by name; each prompt in all the forms that it has."""
    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    support, refutation = stance("support", "SUPPORT", evidence[:1]), stance("refutation", "REFUTE")
    plan = plan_of([[2]], derived="Who paid for it?")
    decided = {"subclaims": SUBCLAIMS, "plan": plan, "statements": (support, refutation)}
    sides = {"own": (refutation,), "opposing": (support,)}
    case = {"team": "support", "subclaims": SUBCLAIMS, "phase": plan.phases[0]}
    return {
        "decompose": carp.DecomposeClaim(claim=claim),
        "decompose by drafts": carp.DecomposeClaim(claim=claim, drafts=(carp.Subclaims(subclaims=SUBCLAIMS),) * 2),
        "graph the claim": carp.GraphClaim(claim=claim, subclaims=SUBCLAIMS),
        "refine": carp.RefineSubclaims(claim=claim, subclaims=SUBCLAIMS, graph=CLAIM_GRAPH),
        "plan": carp.PlanVerification(claim=claim, subclaims=SUBCLAIMS, graph=CLAIM_GRAPH),
        "state a case": carp.StateCase(**body, **case, said=()),
        "state another case": carp.StateCase(**body, **case, said=(support,)),
        "correct oneself": carp.CorrectOneself(**body, team="refutation", plan=plan, **sides),
        "decide between teams": carp.DecideBetweenTeams(**body, **decided),
        "decide without teams": carp.DecideBetweenTeams(**body, **decided | {"statements": ()}),
    }


def grow(graph: Graph, cost: Cost) -> Thought[carp.Stance]:
    """Take a claim apart in a graph, with one agent's stance, the last thought."""
    subclaims = graph.add(carp.Subclaims(subclaims=REFINED), [graph.root], "decompose", cost)
    parts = graph.add(CLAIM_GRAPH, [subclaims], "graph claim", cost)
    planned = graph.add(plan_of([[1], [2]]), [parts], "plan", cost)
    return graph.add(stance("refutation", "SUPPORT", phase=0), [planned], "correct", cost, under=graph.root)
