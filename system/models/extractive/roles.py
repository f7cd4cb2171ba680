"""The roles that the extractive reader can take in strategies other than the graph of thoughts."""

from system.claim_analysis import Entity, Position, Team
from system.models.extractive.debate import (
    AT_ONCE,
    NOTHING,
    argue,
    close,
    favoring,
    moderate,
    quote,
    verify_claim,
    weigh,
)
from system.models.extractive.grammar import names
from system.models.extractive.questions import openers
from system.models.extractive.similarity import Similarity, sentences
from system.records import Label
from system.tasks.ask_question import QuestionReply
from system.tasks.base import Reply, Task
from system.tasks.baselines import AskOfPassage, CarryOut, Instruct, InstructionReply, VerifyClaim
from system.tasks.carp import (
    ClaimGraphReply,
    CorrectionReply,
    CorrectOneself,
    DecideBetweenTeams,
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
from system.tasks.consultancy import Advise, JudgeSpeakers, QuestionSpeakers
from system.tasks.debate import Argue, ArgumentReply, CloseDebate, Moderate
from system.tasks.judge_claim import VerdictReply
from system.thoughts import Argument, Speaker

MOST_SUBCLAIMS = 8


def take_part(task: Task[Reply], similarity: Similarity) -> tuple[Reply, float] | None:
    """The reply to a task of a debate, a consultancy, a team or a pair, with its confidence; None for other tasks."""
    match task:
        case Argue() | Advise():
            return argue(task, similarity), 1.0
        case Moderate():
            return moderate(task, similarity)
        case CloseDebate() | JudgeSpeakers():
            return close(task, similarity)
        case VerifyClaim():
            return verify_claim(task, similarity)
        case QuestionSpeakers():
            return QuestionReply(question=openers(task.claim, ())[0]), 1.0
        case AskOfPassage():
            return QuestionReply(question=_question_of(task)), 1.0
        case Instruct(transcript=transcript):
            return InstructionReply(instruction="Compare the nearest passages.", done=bool(transcript)), 1.0
        case CarryOut():
            nearest = task.evidence[:AT_ONCE]
            text = quote(task.claim, nearest, similarity) or NOTHING
            return ArgumentReply(argument=text, citations=[number + 1 for number in range(len(nearest))]), 1.0
    return _in_carp(task, similarity)


def _in_carp(task: Task[Reply], similarity: Similarity) -> tuple[Reply, float] | None:
    match task:
        case DecomposeClaim():
            parts = sentences(task.claim.text)[:MOST_SUBCLAIMS]
            return SubclaimsReply(subclaims=parts or (task.claim.text or "(no text)",)), 1.0
        case GraphClaim():
            return ClaimGraphReply(entities=_entities(task), relations=()), 1.0
        case RefineSubclaims(subclaims=subclaims):
            return SubclaimsReply(subclaims=subclaims), 1.0
        case PlanVerification(subclaims=subclaims):
            return PlanReply.in_one_phase(subclaims), 1.0
        case StateCase():
            return _state(task, similarity), 1.0
        case CorrectOneself():
            return _correct(task, similarity), 1.0
        case DecideBetweenTeams():
            return _decide(task, similarity)
    return None


def _question_of(task: AskOfPassage) -> str:
    """A question that the passage gives rise to, or else the claim's own first one."""
    of_claim = openers(task.claim, ())
    return next((q for q in openers(task.claim, (task.passage,)) if q not in of_claim), of_claim[0])


def _entities(task: GraphClaim) -> tuple[Entity, ...]:
    found = dict.fromkeys(name for subclaim in task.subclaims for name in names(subclaim))
    return tuple(
        Entity(
            name=name,
            mentions=(name,),
            subclaims=tuple(number for number, text in enumerate(task.subclaims, start=1) if name in text),
        )
        for name in found
    )


def _state(task: StateCase, similarity: Similarity) -> StatementReply:
    """Each agent of a team brings other passages: the first the best, the second the next best."""
    favorable = favoring(task.claim, task.evidence, task.team is Team.SUPPORT, similarity)
    chosen = favorable[task.agent * AT_ONCE : (task.agent + 1) * AT_ONCE]
    said = Argument(speaker=Speaker.ASSISTANT, round=1, text="-", passages=tuple(chosen))
    verdict, confidence = weigh(task.claim, [said], similarity)
    return StatementReply(
        statement=quote(task.claim, chosen, similarity) or NOTHING,
        citations=[task.evidence.index(passage) + 1 for passage in chosen],
        position=_position(verdict.label),
        confidence=round(100 * confidence),
    )


def _correct(task: CorrectOneself, similarity: Similarity) -> CorrectionReply:
    said = [
        Argument(speaker=Speaker.ASSISTANT, round=1, text=stance.text, passages=stance.passages)
        for stance in (*task.own, *task.opposing)
    ]
    verdict, confidence = weigh(task.claim, said, similarity)
    return CorrectionReply(
        explanation=verdict.justification, position=_position(verdict.label), confidence=round(100 * confidence)
    )


def _decide(task: DecideBetweenTeams, similarity: Similarity) -> tuple[VerdictReply, float]:
    said = [
        Argument(speaker=Speaker.ASSISTANT, round=1, text=stance.text, passages=stance.passages)
        for stance in task.statements
    ]
    verdict, confidence = weigh(task.claim, said, similarity)
    if not task.two_labels:
        return verdict, confidence
    label = Label.SUPPORTED if verdict.label is Label.SUPPORTED else Label.REFUTED
    return TwoLabelReply(justification=verdict.justification, label=label), confidence


def _position(label: Label) -> Position:
    return Position.SUPPORT if label is Label.SUPPORTED else Position.REFUTE
