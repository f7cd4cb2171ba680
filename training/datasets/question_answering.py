"""Question answering: a passage of a gold document, a question, and the gold answer (section 3.2.3)."""

from collections.abc import Awaitable, Callable, Sequence

from tqdm import tqdm

from knowledge_store.pages.page import Flaws, describe
from system.averitec.gold import GoldClaim
from system.graph.records import Answer, AnswerType, Source
from system.strategies.steps.tasks import AnswerQuestion, AnswerReply, VerificationReply, VerifyAnswer
from system.tasks.base import Adapter
from training.datasets import evidence
from training.datasets.evidence import ClaimEvidence
from training.datasets.gold import answer_text, states
from training.datasets.samples import DataSet, Drops, Sample

NOT_ENTAILED = "answer that does not follow from its passage"
NOT_JUDGED = "entailment that the model did not judge"
EMPTY = "question or answer without text"


Judge = Callable[[dict[str, VerifyAnswer]], Awaitable[dict[str, VerificationReply]]]
"""Judges by the id of the sample whether answers follow from their passages; see ``samples.replies``."""


async def question_answering(
    claims: Sequence[GoldClaim], source: evidence.Source, judge: Judge | None = None
) -> DataSet:
    """Make a sample of each gold answer whose passage is found and, by the judge, entails it.

    The paper leaves open how a model learns that a passage has no answer. Answers that the claim's metadata states, and
    questions that no page answers, get the closest passage on another question. They are not judged, as nothing in it
    should entail them; nor are answers whose passage is their own text.
    """
    drops, flaws = Drops(), Flaws()
    samples: list[Sample] = []
    for annotated in tqdm(claims, unit="claim", desc="gold passages", disable=None):
        found = ClaimEvidence(annotated, source, flaws)
        made = (_sample(number, annotated, found, drops) for number in range(len(annotated.answers)))
        samples += filter(None, made)
    tasks = {sample.id: task for sample in samples if (task := _verification(sample))}
    judgements = await judge(tasks) if judge and tasks else {}
    drops[NOT_JUDGED] += sum(name not in judgements for name in tasks)
    drops[NOT_ENTAILED] += sum(not judgement.entailed for judgement in judgements.values())
    entailed = {name for name, judgement in judgements.items() if judgement.entailed}
    kept = [sample for sample in samples if sample.id not in tasks or sample.id in entailed]
    fallback = "fallback: the answers' own text, judged by nobody"
    notes = {
        "passages": "of the gold pages in the knowledge store" if source.store else fallback,
        "relevance": {"model": source.scorer, "threshold": source.threshold},
        "flaws of the stores": describe(flaws).removeprefix("; "),
    }
    return DataSet(Adapter.QUESTION_ANSWERING, kept, drops, notes)


def _sample(number: int, annotated: GoldClaim, evidence: ClaimEvidence, drops: Drops) -> Sample | None:
    """Return the sample of an answer; None, counted in ``drops``, if it has no text or no passage."""
    answer = annotated.answers[number]
    if not (answer.question and answer.text):
        drops[EMPTY] += 1
        return None
    from_metadata = answer.medium == "Metadata" and states(annotated.claim, answer.text)
    unanswerable = answer.type is AnswerType.UNANSWERABLE
    find = evidence.elsewhere if from_metadata or unanswerable else evidence.passage
    passage = find(answer, drops)
    if passage is None:
        return None
    own_text = evidence.without_store and not unanswerable
    return Sample(
        id=f"answer-{annotated.claim.id}-{number + 1}",
        label=annotated.label,
        task=AnswerQuestion(claim=annotated.claim, question=answer.question, passage=passage),
        reply=AnswerReply(
            source=Source.METADATA if from_metadata else Source.EVIDENCE, type=answer.type, answer=answer_text(answer)
        ),
        kind="metadata" if from_metadata else f"{answer.type}{', own text' if own_text else ''}",
    )


def _verification(sample: Sample) -> VerifyAnswer | None:
    """Ask about a sample; None if its passage need not entail the answer, or trivially does."""
    task, reply = sample.task, sample.reply
    assert isinstance(task, AnswerQuestion) and isinstance(reply, AnswerReply)
    if reply.source is Source.METADATA or reply.type is AnswerType.UNANSWERABLE or sample.kind.endswith("own text"):
        return None
    answer = Answer(text=reply.answer, type=reply.type, source=reply.source, passage=task.passage)
    return VerifyAnswer(claim=task.claim, question=task.question, answer=answer)
