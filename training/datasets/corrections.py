"""Error correction: reasons for the gold verdict of a debate that its moderator got wrong (DebateCV, section 4)."""

from collections.abc import Mapping, Sequence

from tqdm import tqdm

from system.journal import RecordJournal
from system.models.base import Completion, Model, Request
from system.records import Label, Record
from system.tasks.debate import CorrectVerdict, JustificationReply
from training.datasets.debates import Debate

BATCH = 16


class Correction(Record):
    """Reasons for the gold verdict of a claim's debate."""

    claim_id: int
    justification: str


async def correct(
    model: Model, debates: Sequence[Debate], labels: Mapping[int, Label], journal: RecordJournal[Correction]
) -> dict[int, str]:
    """Have the reasons written that the journal does not hold yet.

    Args:
        debates: those with a wrong verdict.
        labels: gold verdicts by the claim's id.

    Returns:
        The reasons by the claim's id; one that the model failed to give is absent, and asked for again the next time.
    """
    known = {correction.claim_id for correction in journal.finished}
    left = [debate for debate in debates if debate.claim.id not in known]
    await _correct(model, left, labels, journal)
    return {correction.claim_id: correction.justification for correction in journal.finished}


async def _correct(
    model: Model, debates: Sequence[Debate], labels: Mapping[int, Label], journal: RecordJournal[Correction]
) -> None:
    for start in tqdm(range(0, len(debates), BATCH), unit="batch", desc="corrections", disable=None):
        batch = debates[start : start + BATCH]
        requests = [Request(_task(debate, labels[debate.claim.id])) for debate in batch]
        for debate, result in zip(batch, await model.generate(requests), strict=True):
            if isinstance(result, Completion) and isinstance(result.reply, JustificationReply):
                journal.append(Correction(claim_id=debate.claim.id, justification=result.reply.justification.strip()))


def _task(debate: Debate, label: Label) -> CorrectVerdict:
    return CorrectVerdict(
        claim=debate.claim,
        pairs=debate.pairs,
        evidence=debate.evidence,
        transcript=debate.transcript,
        rulings=debate.rulings,
        label=label,
    )
