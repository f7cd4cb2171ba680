"""The moderator's data sets, made of debates: Debate-SFT, and D-SFT with D-DPO (DebateCV, section 4)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from system.gold import GoldClaim
from system.journal import RecordJournal
from system.models.base import Completion, Model, Request
from system.records import Label, Record
from system.tasks.debate import GO_ON, CorrectVerdict, JustificationReply, Moderate, RulingReply
from system.tasks.judge_claim import VerdictReply
from training.datasets.debates import Debate
from training.datasets.samples import DataSet, Drops, Sample

BATCH = 16


class Correction(Record):
    """Reasons for the gold verdict of a debate that its moderator got wrong (error correction; DebateCV, section 4)."""

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
        requests = [Request(debate.ask(CorrectVerdict, label=labels[debate.claim.id])) for debate in batch]
        for debate, result in zip(batch, await model.generate(requests), strict=True):
            if isinstance(result, Completion) and isinstance(result.reply, JustificationReply):
                journal.append(Correction(claim_id=debate.claim.id, justification=result.reply.justification.strip()))


NO_VERDICT = "debate without a verdict"
NOT_CORRECTED = "wrong verdict without a correction"


def moderator_data(
    claims: Sequence[GoldClaim], debates: Sequence[Debate], corrections: Mapping[int, str], notes: dict[str, Any]
) -> list[DataSet]:
    """The three data sets of the two recipes.

    Debate-SFT trains on correct and corrected replies together (``moderator``). D-SFT trains on the correct ones
    (``moderator_sft``); D-DPO then prefers the corrected reply to the original (``moderator_preferences``). Both learn
    to continue too, from each ruling after which a debate continued; a moderator that saw last rulings alone would end
    every debate in its first round.

    Args:
        corrections: reasons for the gold verdict by the id of the claim, where the moderator was wrong.
    """
    labels = {annotated.claim.id: annotated.label for annotated in claims}
    right = [debate for debate in debates if debate.label is labels[debate.claim.id]]
    correct = [sample for debate in right for sample in (*_continued(debate), _kept(debate))]
    wrong = [debate for debate in debates if debate.label is not labels[debate.claim.id]]
    pairs = [
        _corrected(debate, labels[debate.claim.id], corrections[debate.claim.id])
        for debate in wrong
        if debate.claim.id in corrections
    ]
    failed = Drops({NO_VERDICT: len(claims) - len(debates)})
    uncorrected = Drops({NOT_CORRECTED: len(wrong) - len(pairs)})
    continued = [sample for debate in wrong for sample in _continued(debate)]
    together = sorted([*correct, *continued, *map(_without_rejected, pairs)], key=lambda one: one.task.claim.id)
    return [
        DataSet("moderator", together, failed + uncorrected, {"recipe": "Debate-SFT", **notes}),
        DataSet("moderator_sft", correct, failed, {"recipe": "D-SFT", **notes}),
        DataSet("moderator_preferences", pairs, uncorrected, {"recipe": "D-DPO", **notes}),
    ]


def _continued(debate: Debate) -> Iterator[Sample]:
    """The rulings that another round followed; after the last one of a closed debate none did."""
    closed = isinstance(debate.reply, VerdictReply)
    for place, ruling in enumerate(debate.rulings[: len(debate.rulings) - closed]):
        task = Moderate(
            claim=debate.claim,
            pairs=debate.pairs,
            evidence=debate.evidence,
            transcript=tuple(argument for argument in debate.transcript if argument.round <= ruling.round),
            rulings=debate.rulings[:place],
        )
        reply = RulingReply(insight=ruling.insight, gaps=ruling.gaps, reason=ruling.reason, decision=GO_ON)
        yield Sample(f"debate-{debate.claim.id}-round-{ruling.round}", debate.label, task, reply, "goes on")


def _kept(debate: Debate) -> Sample:
    return Sample(f"debate-{debate.claim.id}", debate.label, debate.task, debate.reply, "correct")


def _corrected(debate: Debate, label: Label, justification: str) -> Sample:
    """The reply with reasons and verdict corrected; what a ruling notes of the round before them stays."""
    reply: RulingReply | VerdictReply = (
        debate.reply.model_copy(update={"reason": justification, "decision": label})
        if isinstance(debate.reply, RulingReply)
        else VerdictReply(justification=justification, label=label)
    )
    return Sample(f"debate-{debate.claim.id}", label, debate.task, reply, "corrected", rejected=debate.reply)


def _without_rejected(pair: Sample) -> Sample:
    return Sample(pair.id, pair.label, pair.task, pair.reply, pair.kind)


def syndec(
    debates: Sequence[Debate], labels: Mapping[int, Label], corrections: Mapping[int, str]
) -> list[dict[str, Any]]:
    """The debates with all fields of SynDeC: claim, evidence set, debate recording, ground-truth verdict, predicted
    verdict and justification, and the corrected justification, which is null where none is needed or none was given.
    """
    return [
        {
            "claim": debate.claim.model_dump(mode="json"),
            "evidence": [{"question": pair.question, "answer": pair.answer} for pair in debate.pairs],
            "debate": [argument.model_dump(mode="json") for argument in debate.transcript],
            "rulings": [ruling.model_dump(mode="json") for ruling in debate.rulings],
            "verdict": labels[debate.claim.id],
            "predicted_verdict": debate.label,
            "predicted_justification": debate.justification,
            "corrected_justification": (
                corrections.get(debate.claim.id) if debate.label is not labels[debate.claim.id] else None
            ),
        }
        for debate in debates
    ]
