"""The roles that the extractive reader can take in strategies other than the graph of thoughts."""

from collections.abc import Iterable, Sequence

from knowledge_store.pages.page import Passage
from system.claim_analysis import Entity, Position, Team
from system.models.extractive.findings import findings
from system.models.extractive.grammar import names
from system.models.extractive.questions import openers
from system.models.extractive.similarity import Similarity
from system.models.extractive.verdict import features, judge, shipped_weights, speak_of_claim
from system.records import Answer, AnswerType, Claim, Label, QuestionAnswer, Source
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
from system.tasks.debate import GO_ON, Argue, ArgumentReply, CloseDebate, Moderate, RulingReply
from system.tasks.judge_claim import JudgeClaim, VerdictReply
from system.thoughts import Argument, Speaker
from system.words import sentences

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


AT_ONCE = 2  # passages that a speaker cites in one turn
_QUOTED = 200  # longest quotation, in characters
NOTHING = "The material holds nothing further for this side."


def argue(task: Argue | Advise, similarity: Similarity) -> ArgumentReply:
    """Quote the best passages for the side that nobody has cited yet; say so when there are none."""
    cited = {passage.key for argument in task.transcript for passage in argument.passages}
    favorable = favoring(task.claim, task.evidence, task.side is Speaker.AFFIRMATIVE, similarity)
    chosen = [passage for passage in favorable if passage.key not in cited][:AT_ONCE]
    return ArgumentReply(
        argument=quote(task.claim, chosen, similarity) or NOTHING,
        citations=[task.evidence.index(passage) + 1 for passage in chosen],
    )


def moderate(task: Moderate, similarity: Similarity) -> tuple[RulingReply, float]:
    """Go on while both sides find new passages; then judge by what was cited."""
    round_number = task.transcript[-1].round
    latest = [argument for argument in task.transcript if argument.round == round_number]
    verdict, confidence = weigh(task.claim, task.transcript, similarity)
    both = all(argument.passages for argument in latest)
    reply = RulingReply(
        insight=" ".join(argument.text for argument in latest),
        gaps="" if both else NOTHING,
        reason="Both sides still find evidence." if both else verdict.justification,
        decision=GO_ON if both else verdict.label,
    )
    return reply, confidence


def close(task: CloseDebate | JudgeSpeakers, similarity: Similarity) -> tuple[VerdictReply, float]:
    """Judge by what was cited."""
    return weigh(task.claim, task.transcript, similarity)


def verify_claim(task: VerifyClaim, similarity: Similarity) -> tuple[VerdictReply, float]:
    """Judge by all of the evidence."""
    return judge(JudgeClaim(claim=task.claim, pairs=task.pairs), similarity, shipped_weights())


def weigh(claim: Claim, transcript: Iterable[Argument], similarity: Similarity) -> tuple[VerdictReply, float]:
    """The verdict on the passages that were cited, each counted once."""
    cited = {passage.key: passage for argument in transcript for passage in argument.passages}
    return judge(JudgeClaim(claim=claim, pairs=as_pairs(claim, cited.values())), similarity, shipped_weights())


def favoring(claim: Claim, passages: Sequence[Passage], affirmative: bool, similarity: Similarity) -> list[Passage]:
    """The passages that speak of the claim and for a side, the strongest first."""
    sign = 1 if affirmative else -1
    leans = [(sign * lean(claim, passage, similarity), passage) for passage in passages]
    return [passage for strength, passage in sorted(leans, key=lambda pair: -pair[0]) if strength > 0]


def lean(claim: Claim, passage: Passage, similarity: Similarity) -> float:
    """How much likelier Supported than Refuted a passage makes the claim, alone: in [-1, 1], weighted by closeness.

    A passage that does not speak of the claim leans to neither side.
    """
    found = findings(claim.text, as_pairs(claim, (passage,)), similarity)
    if not speak_of_claim(found):
        return 0.0
    probabilities = shipped_weights().probabilities(features(claim, found))
    difference = probabilities[Label.SUPPORTED] - probabilities[Label.REFUTED]
    return round(difference * found[0].closeness, 4)


def as_pairs(claim: Claim, passages: Iterable[Passage]) -> tuple[QuestionAnswer, ...]:
    """Passages in the form of questions and answers, which is what the fitted verdict measures."""
    return tuple(
        QuestionAnswer(
            question=claim.text,
            answer=passage.text,
            answers=(Answer(text=passage.text, type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=passage),),
        )
        for passage in passages
    )


def quote(claim: Claim, passages: Iterable[Passage], similarity: Similarity) -> str:
    """The sentence of each passage that is closest to the claim, in quotation marks."""
    nearest = (findings(claim.text, as_pairs(claim, (passage,)), similarity)[:1] for passage in passages)
    return " ".join(f"“{found[0].sentence[:_QUOTED]}” ({found[0].url})" for found in nearest if found)
