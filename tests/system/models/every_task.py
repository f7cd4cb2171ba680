"""A task of every kind besides those of the graph, about a bridge, with all that a prompt may have to show."""

from knowledge_store.pages.page import Passage
from system.claim_analysis import (
    Action,
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
    Step,
    Team,
)
from system.records import Claim, Label, QuestionAnswer
from system.tasks.ask_question import AskQuestion
from system.tasks.base import Reply, Task, registered
from system.tasks.baselines import AskOfPassage, CarryOut, Instruct, VerifyClaim
from system.tasks.carp import (
    CorrectOneself,
    DecideBetweenTeams,
    DecideBetweenTeamsInTwoLabels,
    DecomposeClaim,
    GraphClaim,
    PlanVerification,
    RefineSubclaims,
    StateCase,
    SubclaimsReply,
)
from system.tasks.debate import (
    PERSONAS,
    Advise,
    Argue,
    CloseDebate,
    CorrectVerdict,
    JudgeSpeakers,
    Moderate,
    QuestionSpeakers,
)
from system.tasks.judging import CompareEvidence, CompareQuestions, FreePrompt
from system.thoughts import Argument, Ruling, Speaker

SUBCLAIMS = ("There is a bridge at Oldmarsh.", "It cost nine million.")
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
                Step(
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
RULING = Ruling(round=1, insight="A sum.", gaps="A date.", reason="One source.", decision=None, confidence=0.5)


def _said(*speakers: Speaker, cites: tuple[Passage, ...]) -> tuple[Argument, ...]:
    return tuple(Argument(speaker=speaker, round=1, text="It was 4.2 million.", passages=cites) for speaker in speakers)


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


def agent_tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks of debates, consultancies, teams and judges by name; each prompt in all the forms that it has."""
    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    both = _said(Speaker.AFFIRMATIVE, Speaker.NEGATIVE, cites=evidence[:1])
    advised = _said(Speaker.CONSULTANT, Speaker.JUDGE, cites=evidence[1:])
    worked = _said(Speaker.INSTRUCTOR, cites=())
    support = _stance(Team.SUPPORT, Position.SUPPORT, evidence[:1])
    refutation = _stance(Team.REFUTATION, Position.REFUTE, ())
    decided = {"subclaims": SUBCLAIMS, "resolution": PLAN.resolution, "statements": (support, refutation)}
    case = {"team": Team.SUPPORT, "subclaims": SUBCLAIMS, "phase": PLAN.phases[0]}
    pairs = ((pair.question, pair.answer),)
    return {
        "ask something else": AskQuestion(claim=claim, context=(), index=2, seed_passages=(), asked=(pair.question,)),
        "open the debate": Argue(**body, side=Speaker.AFFIRMATIVE, transcript=()),
        "argue": Argue(**body, side=Speaker.NEGATIVE, transcript=both[:1]),
        "moderate": Moderate(**body, transcript=both, rulings=()),
        "moderate again": Moderate(**body, transcript=both, rulings=(RULING,)),
        "close the debate": CloseDebate(**body, transcript=both, rulings=(RULING,)),
        "correct the verdict": CorrectVerdict(**body, transcript=both, rulings=(RULING,), label=Label.REFUTED),
        "open the consultancy": Advise(**body, side=Speaker.NEGATIVE, transcript=()),
        "advise": Advise(**body, side=Speaker.AFFIRMATIVE, transcript=advised),
        "question the speakers": QuestionSpeakers(claim=claim, persona="", transcript=both),
        "judge the speakers": JudgeSpeakers(claim=claim, persona=PERSONAS[0], transcript=both),
        "verify the claim": VerifyClaim(**body, transcript=()),
        "verify the claim together": VerifyClaim(**body, transcript=worked),
        "instruct": Instruct(**body, transcript=()),
        "carry out": CarryOut(**body, transcript=worked),
        "ask of a passage": AskOfPassage(claim=claim, passage=evidence[0]),
        "decompose": DecomposeClaim(claim=claim),
        "decompose by drafts": DecomposeClaim(claim=claim, drafts=(SubclaimsReply(subclaims=SUBCLAIMS),) * 2),
        "graph the claim": GraphClaim(claim=claim, subclaims=SUBCLAIMS),
        "refine": RefineSubclaims(claim=claim, subclaims=SUBCLAIMS, graph=GRAPH),
        "plan": PlanVerification(claim=claim, subclaims=SUBCLAIMS, graph=GRAPH),
        "state a case": StateCase(**body, **case, said=()),
        "state another case": StateCase(**body, **case, said=(support,)),
        "correct oneself": CorrectOneself(**body, team=Team.REFUTATION, own=(refutation,), opposing=(support,)),
        "decide between teams": DecideBetweenTeams(**body, **decided),
        "decide in two labels": DecideBetweenTeamsInTwoLabels(**body, **decided),
        "compare evidence": CompareEvidence(claim=claim, predicted=pairs, reference=pairs),
        "compare questions": CompareQuestions(claim=claim, predicted=pairs[0][:1], reference=pairs[0][:1]),
        "free prompt": FreePrompt(claim=claim, prompt="Say anything at all."),
    }


def ours() -> set[type[Task[Reply]]]:
    """The registered tasks less those that tests define."""
    return {task for task in registered() if task.__module__.startswith("system.")}
