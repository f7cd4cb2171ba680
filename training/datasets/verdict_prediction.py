"""Verdict prediction: the annotators' justification, then their label (section 3.2.4)."""

from collections.abc import Iterator, Sequence

from system.gold import GoldClaim
from system.records import Label
from system.tasks.base import Adapter
from system.tasks.judge_claim import JudgeClaim, VerdictReply
from training.datasets.pairs import gold_pairs
from training.datasets.samples import DataSet, Drops, Sample

NO_JUSTIFICATION = "claim without a justification"


def verdict_prediction(claims: Sequence[GoldClaim]) -> DataSet:
    """A sample for each claim with all of its n pairs, and one for each i < n: with i pairs there is not enough.

    The annotation has no reasons for the latter; they name the question that is asked next, which is what is missing.
    """
    drops = Drops()
    samples = [sample for annotated in claims for sample in _samples(annotated, drops)]
    return DataSet(Adapter.VERDICT_PREDICTION, samples, drops, {"reasons of partial evidence": _open_question("…")})


def _samples(annotated: GoldClaim, drops: Drops) -> Iterator[Sample]:
    claim, pairs = annotated.claim, gold_pairs(annotated)
    for count in range(1, len(pairs)):
        yield Sample(
            id=f"verdict-{claim.id}-first-{count}",
            label=Label.NOT_ENOUGH_EVIDENCE,
            task=JudgeClaim(claim=claim, pairs=pairs[:count]),
            reply=VerdictReply(justification=_open_question(pairs[count].question), label=Label.NOT_ENOUGH_EVIDENCE),
            kind="partial evidence",
        )
    if not annotated.justification:
        drops[NO_JUSTIFICATION] += 1
        return
    yield Sample(
        id=f"verdict-{claim.id}",
        label=annotated.label,
        task=JudgeClaim(claim=claim, pairs=pairs),
        reply=VerdictReply(justification=annotated.justification, label=annotated.label),
        kind="all evidence",
    )


def _open_question(question: str) -> str:
    return f"The answers so far do not decide the claim. What is still open: {question}"
