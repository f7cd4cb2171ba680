"""Question answering: a passage of a gold document, a question, and the gold answer (section 3.2.3)."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

from tqdm import tqdm

from knowledge_store.pages.page import Flaws, describe
from system.averitec.gold import GoldAnswer, GoldClaim
from system.files.journal import RecordJournal
from system.graph.records import Answer, AnswerType, Record, Source
from system.models.base import Completion, Model, Request
from system.strategies.steps.tasks.answer_question import AnswerQuestion, AnswerReply
from system.strategies.steps.tasks.verify_answer import VerificationReply, VerifyAnswer
from system.tasks.base import Adapter
from training.datasets import evidence
from training.datasets.evidence import ClaimEvidence, Found
from training.datasets.gold import answer_text, states
from training.datasets.samples import DataSet, Drops, Sample

BATCH = 64  # requests that are sent together, and lost together if the power goes


class Judgement(Record):
    """A model's judgement of an answer."""

    sample: str
    entailed: bool
    reason: str


async def judge_entailment(
    model: Model, journal: RecordJournal[Judgement], tasks: dict[str, VerifyAnswer]
) -> dict[str, Judgement]:
    """Have answers judged that the journal does not hold yet.

    Args:
        tasks: by the id of their sample.

    Returns:
        The judgements by the id of the sample; one that the model failed to give is absent, and asked for again the
        next time.
    """
    known = {judgement.sample for judgement in journal.finished}
    left = [sample for sample in tasks if sample not in known]
    with tqdm(total=len(tasks), initial=len(tasks) - len(left), unit="answer", desc="entailment", disable=None) as bar:
        for start in range(0, len(left), BATCH):
            batch = left[start : start + BATCH]
            for sample, result in zip(batch, await model.generate([Request(tasks[s]) for s in batch]), strict=True):
                if isinstance(result, Completion) and isinstance(result.reply, VerificationReply):
                    journal.append(Judgement(sample=sample, entailed=result.reply.entailed, reason=result.reply.reason))
            bar.update(len(batch))
    judgements = {judgement.sample: judgement for judgement in journal.finished}
    return {sample: judgements[sample] for sample in tasks if sample in judgements}


NOT_ENTAILED = "answer that does not follow from its passage"
NOT_JUDGED = "entailment that the model did not judge"
EMPTY = "question or answer without text"

Judge = Callable[[dict[str, VerifyAnswer]], Awaitable[dict[str, Judgement]]]
"""Judges by the id of the sample whether answers follow from their passages; see ``judge_entailment``."""


async def question_answering(claims: Sequence[GoldClaim], source: evidence.Source, judge: Judge) -> DataSet:
    """A sample for each gold answer whose passage can be found and, by a model's judgement, entails it.

    What the paper leaves open: answers that the claim's metadata states, and questions that no page answers, are shown
    with the passage on another question that comes closest. They are not judged, as nothing in it should entail them;
    nor are answers whose passage is their own text.
    """
    drops, flaws = Drops(), Flaws()
    samples: list[Sample] = []
    for annotated in tqdm(claims, unit="claim", desc="gold passages", disable=None):
        samples += _samples(annotated, ClaimEvidence(annotated, source, flaws), drops)
    kept = await _entailed(samples, judge, drops)
    notes = {
        "passages": "of the gold pages in the knowledge store"
        if source.store
        else "fallback: the answers' own text, judged by nobody",
        "relevance": {"model": source.relevance.name, "threshold": source.threshold},
        "flaws of the stores": describe(flaws).removeprefix("; "),
    }
    return DataSet(Adapter.QUESTION_ANSWERING, kept, drops, notes)


def _samples(annotated: GoldClaim, found: ClaimEvidence, drops: Drops) -> Iterator[Sample]:
    for number, answer in enumerate(annotated.answers):
        if not (answer.question and answer.text):
            drops[EMPTY] += 1
        elif sample := _sample(f"answer-{annotated.claim.id}-{number + 1}", annotated, answer, found, drops):
            yield sample


def _sample(
    name: str, annotated: GoldClaim, answer: GoldAnswer, evidence: ClaimEvidence, drops: Drops
) -> Sample | None:
    from_metadata = answer.medium == "Metadata" and states(annotated.claim, answer.text)
    if from_metadata or answer.type is AnswerType.UNANSWERABLE:
        found = evidence.elsewhere(answer, drops)
    else:
        found = evidence.passage(answer, drops)
    if found is None:
        return None
    return Sample(
        id=name,
        label=annotated.label,
        task=AnswerQuestion(claim=annotated.claim, question=answer.question, passage=found.passage),
        reply=AnswerReply(
            source=Source.METADATA if from_metadata else Source.EVIDENCE, type=answer.type, answer=answer_text(answer)
        ),
        kind=_kind(found, from_metadata),
    )


def _kind(found: Found, from_metadata: bool) -> str:
    if from_metadata:
        return "metadata"
    own_text = found.own_text and found.answer.type is not AnswerType.UNANSWERABLE
    return f"{found.answer.type}{', own text' if own_text else ''}"


async def _entailed(samples: Sequence[Sample], judge: Judge, drops: Drops) -> list[Sample]:
    tasks = {sample.id: task for sample in samples if (task := _verification(sample))}
    judgements = await judge(tasks) if tasks else {}
    drops[NOT_JUDGED] += sum(name not in judgements for name in tasks)
    drops[NOT_ENTAILED] += sum(not judgement.entailed for judgement in judgements.values())
    return [
        sample
        for sample in samples
        if sample.id not in tasks or (sample.id in judgements and judgements[sample.id].entailed)
    ]


def _verification(sample: Sample) -> VerifyAnswer | None:
    """Ask about a sample; None if the passage need not, or trivially does, entail the answer."""
    task, reply = sample.task, sample.reply
    assert isinstance(task, AnswerQuestion) and isinstance(reply, AnswerReply)
    if reply.source is Source.METADATA or reply.type is AnswerType.UNANSWERABLE or sample.kind.endswith("own text"):
        return None
    answer = Answer(text=reply.answer, type=reply.type, source=reply.source, passage=task.passage)
    return VerifyAnswer(claim=task.claim, question=task.question, answer=answer)
