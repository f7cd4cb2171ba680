"""CARP: ordinary replies about the bridge, a task of every kind, and records for a graph."""

from collections.abc import Sequence

from knowledge_store.pages.page import Passage
from system.graph.graph import Graph
from system.graph.records import Claim, Content, Cost, Label, QuestionAnswer
from system.graph.thoughts import Thought
from system.models.scripted import Line
from system.strategies.carp.records import (
    Action,
    Check,
    ClaimGraph,
    Dependency,
    DependencyKind,
    Entity,
    Method,
    Phase,
    Plan,
    Position,
    Relation,
    Stance,
    Subclaims,
    Team,
)
from system.strategies.carp.tasks import (
    ClaimGraphReply,
    CorrectionReply,
    CorrectOneself,
    DecideBetweenTeams,
    DecideBetweenTeamsInTwoLabels,
    DecomposeClaim,
    GraphClaim,
    PlanReply,
    PlanVerification,
    RefineSubclaims,
    StateCase,
    StatementReply,
    SubclaimsReply,
    TwoLabelReply,
)
from system.strategies.steps.tasks import VerdictReply
from system.tasks.base import Reply, Task

SUBCLAIMS = ("A bridge over the Aster exists.", "It opened in 1932.")
REFINED = ("A bridge over the Aster exists.", "The Aster bridge opened in 1932.")
CLAIM_GRAPH = ClaimGraphReply(
    entities=(Entity(name="Aster bridge", mentions=("a bridge over the Aster", "it"), subclaims=(1, 2)),),
    relations=(Relation(subject="Aster bridge", relation="opened in", object="1932"),),
)

NESTED = (GraphClaim, PlanVerification)
SPEAKING = ("carp",)
SPOKEN = (Stance,)
SHORT = {"options__drafts": False}

_ITS: dict[str, object] = {"strategy": "carp"}
RUNS = {
    "options.claim_graph": (False, _ITS),
    "options.self_correction": (False, _ITS),
    "options.drafts": (False, _ITS),
    "options.multi_hop": (False, {**_ITS, "retrieval__top_k": 5}),
}


def plan_of(phases: Sequence[Sequence[int]], derived: str = "") -> PlanReply:
    """A plan whose phases have the steps for these subclaims."""
    steps = [
        tuple(
            Check(
                subclaim=number,
                action=Action.TEMPORAL_FACT,
                strategy=Method.FACTUAL_LOOKUP,
                evidence_type="chronicles",
                query_hint=f"Aster bridge {number}",
                derived_question=derived,
            )
            for number in phase
        )
        for phase in phases
    ]
    return PlanReply(
        dependencies=(Dependency(kind=DependencyKind.LOGICAL, first=1, then=2),),
        phases=tuple(
            Phase(id=number, goal=f"Goal {number}.", depends_on=tuple(range(1, number)), steps=phase)
            for number, phase in enumerate(steps, start=1)
        ),
        requires_all=True,
        resolution="Both must hold.",
    )


def reply_to(task: Task) -> Line:
    """The ordinary reply to a task; None to one of another strategy."""
    match task:
        case DecomposeClaim():
            return SubclaimsReply(subclaims=SUBCLAIMS)
        case GraphClaim():
            return CLAIM_GRAPH
        case RefineSubclaims(subclaims=subclaims):
            return SubclaimsReply(subclaims=REFINED[-len(subclaims) :])
        case PlanVerification(subclaims=subclaims):
            return plan_of([[number] for number in range(1, len(subclaims) + 1)])
        case StateCase(team=team, evidence=evidence):
            position = Position.SUPPORT if team is Team.SUPPORT else Position.REFUTE
            return StatementReply(
                statement=f"The {team} team speaks.",
                citations=[1] if evidence else [],
                position=position,
                confidence=80,
            )
        case CorrectOneself():
            return CorrectionReply(explanation="They have a point.", position=Position.REFUTE, confidence=60)
        case DecideBetweenTeamsInTwoLabels():
            return TwoLabelReply(justification="All parts hold.", label=Label.SUPPORTED)
        case DecideBetweenTeams():
            return VerdictReply(justification="All parts hold.", label=Label.SUPPORTED)
    return None


PARTS = ("There is a bridge at Oldmarsh.", "It cost nine million.")
GRAPH = ClaimGraph(
    entities=(Entity(name="bridge at Oldmarsh", mentions=("the bridge", "it"), subclaims=(1, 2)),),
    relations=(Relation(subject="bridge at Oldmarsh", relation="cost", object="nine million"),),
)
PLAN = Plan(
    dependencies=(Dependency(kind=DependencyKind.LOGICAL, first=1, then=2),),
    phases=(
        Phase(
            id=1,
            goal="Find the price.",
            depends_on=(),
            steps=(
                Check(
                    subclaim=2,
                    action=Action.STATISTICAL_FACT,
                    strategy=Method.CROSS_REFERENCING,
                    evidence_type="accounts of the council",
                    query_hint="Oldmarsh bridge cost",
                    derived_question="Who paid for it?",
                ),
            ),
        ),
    ),
    requires_all=True,
    resolution="Both must hold.",
)


def _stance(team: Team, position: Position, cites: tuple[Passage, ...]) -> Stance:
    return Stance(
        team=team,
        agent=0,
        phase=1,
        text="The council paid.",
        position=position,
        changed=False,
        confidence=0.7,
        passages=cites,
    )


CONTENTS: tuple[Content, ...] = (
    Subclaims(subclaims=("One.", "Two.")),
    ClaimGraph(**dict(CLAIM_GRAPH)),
    Plan(**dict(plan_of([[1], [2]]))),
    Stance(
        team=Team.SUPPORT,
        agent=1,
        phase=0,
        text="No.",
        position=Position.REFUTE,
        changed=True,
        confidence=0.5,
        passages=(Passage(text="Some text.", url="https://page0.example", page=0, start=0),),
    ),
)


def tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks by name; each prompt in all the forms that it has."""
    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    support = _stance(Team.SUPPORT, Position.SUPPORT, evidence[:1])
    refutation = _stance(Team.REFUTATION, Position.REFUTE, ())
    decided = {"subclaims": PARTS, "plan": PLAN, "statements": (support, refutation)}
    case = {"team": Team.SUPPORT, "subclaims": PARTS, "phase": PLAN.phases[0]}
    return {
        "decompose": DecomposeClaim(claim=claim),
        "decompose by drafts": DecomposeClaim(claim=claim, drafts=(SubclaimsReply(subclaims=PARTS),) * 2),
        "graph the claim": GraphClaim(claim=claim, subclaims=PARTS),
        "refine": RefineSubclaims(claim=claim, subclaims=PARTS, graph=GRAPH),
        "plan": PlanVerification(claim=claim, subclaims=PARTS, graph=GRAPH),
        "state a case": StateCase(**body, **case, said=()),
        "state another case": StateCase(**body, **case, said=(support,)),
        "correct oneself": CorrectOneself(
            **body, team=Team.REFUTATION, plan=PLAN, own=(refutation,), opposing=(support,)
        ),
        "decide between teams": DecideBetweenTeams(**body, **decided),
        "decide without teams": DecideBetweenTeams(**body, **decided | {"statements": ()}),
        "decide in two labels": DecideBetweenTeamsInTwoLabels(**body, **decided),
    }


def grow(graph: Graph, cost: Cost) -> Thought[Stance]:
    """Take a claim apart in a graph, with one agent's stance, the last thought."""
    subclaims = graph.add(Subclaims(subclaims=("It opened in 1932.",)), [graph.root], "decompose", cost)
    bridge = Entity(name="the bridge", mentions=("it",), subclaims=(1,))
    relation = Relation(subject="the bridge", relation="spans", object="the Aster")
    parts = graph.add(ClaimGraph(entities=(bridge,), relations=(relation,)), [subclaims], "graph claim", cost)
    step = Check(
        subclaim=1,
        action=Action.TEMPORAL_FACT,
        strategy=Method.TEMPORAL_VALIDATION,
        evidence_type="a history",
        query_hint="opening of the bridge",
        derived_question="",
    )
    phase = Phase(id=1, goal="Date it.", depends_on=(), steps=(step,))
    plan = Plan(dependencies=(), phases=(phase,), requires_all=True, resolution="It must have opened once.")
    planned = graph.add(plan, [parts], "plan", cost)
    stance = Stance(
        team=Team.REFUTATION,
        agent=1,
        phase=0,
        text="It is dated.",
        position=Position.SUPPORT,
        changed=True,
        confidence=0.58,
        passages=(),
    )
    return graph.add(stance, [planned], "correct", cost, under=graph.root)
