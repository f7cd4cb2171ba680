"""The Ev2R scores of a run: recall and precision of questions and of evidence, and the AVeriTeC score of FEVER-8.

A claim counts for the AVeriTeC score when the recall of its evidence is above a threshold and its label is right.
"""

from collections.abc import Sequence

from submission.bootstrap import Estimate, estimate
from submission.ev2r.judging import ComparedPairs, Outcome
from submission.ev2r.replies import Judgement, Mode, Unit
from submission.read import Pair
from system.graph.records import Record

OFFICIAL_THRESHOLD = 0.5
THRESHOLDS = tuple(tenth / 10 for tenth in range(1, 10))


class Unjudged(Record):
    """A comparison without a judgement, and why."""

    claim_id: int
    unit: Unit
    reason: str


class ClaimEv2r(Record):
    """Judgements of one claim; those that failed are absent."""

    claim_id: int
    right: bool
    judgements: dict[Unit, Judgement]

    def counts(self, threshold: float) -> bool:
        """Return whether the claim counts for the AVeriTeC score."""
        evidence = self.judgements.get(Unit.EVIDENCE)
        return bool(evidence and self.right and evidence.recall > threshold)


class UnitScores(Record):
    """Means over ``claims`` claims."""

    claims: int
    recall: Estimate
    precision: Estimate


class Ev2rScores(Record):
    """Scores with the judgements behind them.

    Attributes:
        mode: in compatible mode a claim that could not be judged has recall 0, as it has for the official scorer; in
            strict mode it is left out of all means.
        units: only units of which any claim was judged.
        averitec: at the official threshold; None if no evidence was judged.
        curve: share of the claims above the threshold and with the right label, by threshold.
        unjudged: comparisons that could not be judged, in the order of the claims.
    """

    judge: str
    mode: Mode
    units: dict[Unit, UnitScores]
    averitec: Estimate | None
    curve: dict[float, float]
    unjudged: tuple[Unjudged, ...]
    claims: tuple[ClaimEv2r, ...]


def ev2r_scores(
    pairs: Sequence[Pair], asked: Sequence[ComparedPairs], outcomes: Sequence[Outcome], judge: str, mode: Mode
) -> Ev2rScores:
    """Score the outcomes of all comparisons of some pairs.

    Args:
        outcomes: one for each of ``asked``, in order.
        judge: its name.
    """
    unjudged: list[Unjudged] = []
    judgements: dict[int, dict[Unit, Judgement]] = {pair.gold.claim_id: {} for pair in pairs}
    for one, outcome in zip(asked, outcomes, strict=True):
        if isinstance(outcome, str):
            unjudged.append(Unjudged(claim_id=one.claim_id, unit=one.unit, reason=outcome))
            if mode is Mode.STRICT:
                continue
            outcome = Judgement(precision=0.0, recall=0.0)
        judgements[one.claim_id][one.unit] = outcome
    claims = [
        ClaimEv2r(claim_id=claim_id, right=pair.predicted.label == pair.gold.label, judgements=found)
        for pair, (claim_id, found) in zip(pairs, judgements.items(), strict=True)
    ]
    with_evidence = [claim for claim in claims if Unit.EVIDENCE in claim.judgements]
    passed = {threshold: [claim.counts(threshold) for claim in with_evidence] for threshold in THRESHOLDS}
    units = {unit: [claim.judgements[unit] for claim in claims if unit in claim.judgements] for unit in Unit}
    return Ev2rScores(
        judge=judge,
        mode=mode,
        units={
            unit: UnitScores(
                claims=len(found),
                recall=estimate([one.recall for one in found]),
                precision=estimate([one.precision for one in found]),
            )
            for unit, found in units.items()
            if found
        },
        averitec=estimate(passed[OFFICIAL_THRESHOLD]) if with_evidence else None,
        curve={threshold: sum(each) / len(each) for threshold, each in passed.items() if each},
        unjudged=tuple(unjudged),
        claims=tuple(claims),
    )
