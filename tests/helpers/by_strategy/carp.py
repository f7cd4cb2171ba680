"""CARP: ordinary replies about the bridge, a task of every kind, and records for a graph."""

from collections.abc import Sequence

from knowledge_store.pages.page import Passage
from system.graph.graph import Graph
from system.graph.records import Claim, Content, Cost, Label, QuestionAnswer
from system.graph.thoughts import Thought
from system.models.scripted import Line
from system.strategies.carp.tasks import (
    Check,
    ClaimGraph,
    CorrectOneself,
    DecideBetweenTeams,
    DecomposeClaim,
    Dependency,
    Entity,
    GraphClaim,
    Phase,
    Plan,
    PlanVerification,
    Position,
    RefineSubclaims,
    Relation,
    Stance,
    StateCase,
    StatementReply,
    Subclaims,
    Team,
)
from system.strategies.steps.tasks import VerdictReply
from system.tasks.base import Reply, Task

SUBCLAIMS = ("A bridge over the Aster exists.", "It opened in 1932.")
REFINED = ("A bridge over the Aster exists.", "The Aster bridge opened in 1932.")
CLAIM_GRAPH = ClaimGraph(
    entities=(Entity(name="Aster bridge", mentions=("a bridge over the Aster", "it"), subclaims=(1, 2)),),
    relations=(Relation(subject="Aster bridge", relation="opened in", object="1932"),),
)

NESTED = (GraphClaim, PlanVerification)
SPEAKING = ("carp",)

_ITS: dict[str, object] = {"strategy": "carp"}
RUNS = {
    "options.claim_graph": (False, _ITS),
    "options.self_correction": (False, _ITS),
    "options.drafts": (False, _ITS),
    "options.multi_hop": (False, {**_ITS, "retrieval__top_k": 5}),
}


def plan_of(phases: Sequence[Sequence[int]], derived: str = "") -> Plan:
    """A plan whose phases have the steps for these subclaims."""

    def check(subclaim: int) -> Check:
        return Check(
            subclaim=subclaim,
            action="check_temporal_fact",
            strategy="factual lookup",
            evidence_type="chronicles",
            query_hint=f"Aster bridge {subclaim}",
            derived_question=derived,
        )

    return Plan(
        dependencies=(Dependency(kind="logical", first=1, then=2),),
        phases=tuple(
            Phase(id=number, goal=f"Goal {number}.", depends_on=tuple(range(1, number)), steps=tuple(map(check, phase)))
            for number, phase in enumerate(phases, start=1)
        ),
        requires_all=True,
        resolution="Both must hold.",
    )


def stated(position: Position, *citations: int) -> StatementReply:
    """An agent's reply."""
    return StatementReply(statement="So it is.", citations=list(citations), position=position, confidence=80)


def reply_to(task: Task) -> Line:
    """The ordinary reply to a task; None to one of another strategy."""
    match task:
        case DecomposeClaim():
            return Subclaims(subclaims=SUBCLAIMS)
        case GraphClaim():
            return CLAIM_GRAPH
        case RefineSubclaims(subclaims=subclaims):
            return Subclaims(subclaims=REFINED[-len(subclaims) :])
        case PlanVerification(subclaims=subclaims):
            return plan_of([[number] for number in range(1, len(subclaims) + 1)])
        case StateCase(team=team, evidence=evidence):
            return stated("SUPPORT" if team == "support" else "REFUTE", *[1][: len(evidence)])
        case CorrectOneself():
            return stated("REFUTE")
        case DecideBetweenTeams():
            return VerdictReply(justification="All parts hold.", label=Label.SUPPORTED)
    return None


def stance(team: Team, position: Position, cites: tuple[Passage, ...] = (), phase: int = 1) -> Stance:
    """What an agent says on a phase, or having read the other team (phase 0), when it changes its position."""
    return Stance(
        team=team,
        agent=0,
        phase=phase,
        text="The council paid.",
        position=position,
        changed=not phase,
        confidence=0.7,
        passages=cites,
    )


CONTENTS: tuple[Content, ...] = (
    Subclaims(subclaims=SUBCLAIMS),
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
    case = {"team": "support", "subclaims": SUBCLAIMS, "phase": plan.phases[0]}
    return {
        "decompose": DecomposeClaim(claim=claim),
        "decompose by drafts": DecomposeClaim(claim=claim, drafts=(Subclaims(subclaims=SUBCLAIMS),) * 2),
        "graph the claim": GraphClaim(claim=claim, subclaims=SUBCLAIMS),
        "refine": RefineSubclaims(claim=claim, subclaims=SUBCLAIMS, graph=CLAIM_GRAPH),
        "plan": PlanVerification(claim=claim, subclaims=SUBCLAIMS, graph=CLAIM_GRAPH),
        "state a case": StateCase(**body, **case, said=()),
        "state another case": StateCase(**body, **case, said=(support,)),
        "correct oneself": CorrectOneself(**body, team="refutation", plan=plan, own=(refutation,), opposing=(support,)),
        "decide between teams": DecideBetweenTeams(**body, **decided),
        "decide without teams": DecideBetweenTeams(**body, **decided | {"statements": ()}),
    }


def grow(graph: Graph, cost: Cost) -> Thought[Stance]:
    """Take a claim apart in a graph, with one agent's stance, the last thought."""
    subclaims = graph.add(Subclaims(subclaims=REFINED), [graph.root], "decompose", cost)
    parts = graph.add(CLAIM_GRAPH, [subclaims], "graph claim", cost)
    planned = graph.add(plan_of([[1], [2]]), [parts], "plan", cost)
    return graph.add(stance("refutation", "SUPPORT", phase=0), [planned], "correct", cost, under=graph.root)
