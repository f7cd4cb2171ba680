"""Whether a model finds that gold answers follow from their passages; each judgement is kept as soon as it is made."""

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from system.journal import RecordJournal
from system.models.base import Completion, Model, Request
from system.records import Record
from system.tasks.verify_answer import VerificationReply, VerifyAnswer

BATCH = 64  # requests that are sent together, and lost together if the power goes


class Judgement(Record):
    """What a model said of an answer."""

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
    known = {judgement.sample: judgement for judgement in journal.finished}
    left = [sample for sample in tasks if sample not in known]
    await _judge(model, tasks, left, journal)
    known |= {judgement.sample: judgement for judgement in journal.finished}
    return {sample: known[sample] for sample in tasks if sample in known}


async def _judge(
    model: Model, tasks: dict[str, VerifyAnswer], left: Sequence[str], journal: RecordJournal[Judgement]
) -> None:
    with tqdm(total=len(tasks), initial=len(tasks) - len(left), unit="answer", desc="entailment", disable=None) as bar:
        for batch in _batches(left):
            for sample, result in zip(batch, await model.generate([Request(tasks[s]) for s in batch]), strict=True):
                if isinstance(result, Completion) and isinstance(result.reply, VerificationReply):
                    journal.append(Judgement(sample=sample, entailed=result.reply.entailed, reason=result.reply.reason))
            bar.update(len(batch))


def _batches(samples: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(samples), BATCH):
        yield samples[start : start + BATCH]
