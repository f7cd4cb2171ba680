"""Taking sides without a language model: agents argue by quoting the passages that speak best for their side.

How far a passage leans is what the fitted verdict makes of it alone. Moderators and judges weigh what was cited, and
nothing else, with the same verdict.
"""

from collections.abc import Iterable, Sequence

from knowledge_store.pages.page import Passage
from system.models.extractive.features import features
from system.models.extractive.findings import findings
from system.models.extractive.similarity import Similarity
from system.models.extractive.verdict import judge, shipped_weights, speak_of_claim
from system.records import Answer, AnswerType, Claim, Label, QuestionAnswer, Source
from system.tasks.baselines import VerifyClaim
from system.tasks.consultancy import Advise, JudgeSpeakers
from system.tasks.debate import GO_ON, Argue, ArgumentReply, CloseDebate, Moderate, RulingReply
from system.tasks.judge_claim import JudgeClaim, VerdictReply
from system.thoughts import Argument, Speaker

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
