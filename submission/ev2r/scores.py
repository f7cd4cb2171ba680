"""The Ev2R scores of a run: recall and precision of questions and of evidence, and the AVeriTeC score of FEVER-8.

A claim counts for the AVeriTeC score when the recall of its evidence is above a threshold and its label is right.
"""

from collections.abc import Mapping, Sequence

from submission.bootstrap import Estimate, estimate
from submission.ev2r.judging import Outcome
from submission.ev2r.replies import Judgement, Unit
from submission.read import Pair
from system.graph.records import Record

OFFICIAL_THRESHOLD = 0.5
NOTHING = Judgement(precision=0.0, recall=0.0)


class Unjudged(Record):
    """A comparison without a judgement, and why."""

    claim_id: int
    unit: Unit
    reason: str


class ClaimEv2r(Record):
    """Judgements of one claim; 0 for those that failed, as for the official scorer."""

    claim_id: int
    right: bool
    judgements: dict[Unit, Judgement]

    def counts(self, threshold: float) -> bool:
        """Return whether the claim counts for the AVeriTeC score."""
        return self.right and self.judgements[Unit.EVIDENCE].recall > threshold


class UnitScores(Record):
    """Means over all claims."""

    recall: Estimate
    precision: Estimate


class Ev2rScores(Record):
    """Scores with the judgements behind them."""

    judge: str
    units: dict[Unit, UnitScores]
    averitec: Estimate  #: at the official threshold
    unjudged: tuple[Unjudged, ...]  #: comparisons that could not be judged, in the order of the claims
    claims: tuple[ClaimEv2r, ...]


def ev2r_scores(pairs: Sequence[Pair], outcomes: Sequence[Mapping[Unit, Outcome]], judge: str) -> Ev2rScores:
    """Score the outcomes of at least one pair, one of them for each; ``judge`` is the judge's name."""
    claims = [
        ClaimEv2r(
            claim_id=pair.gold.claim_id,
            right=pair.predicted.label == pair.gold.label,
            judgements={unit: NOTHING if isinstance(one, str) else one for unit, one in found.items()},
        )
        for pair, found in zip(pairs, outcomes, strict=True)
    ]
    return Ev2rScores(
        judge=judge,
        units={
            unit: UnitScores(
                recall=estimate([claim.judgements[unit].recall for claim in claims]),
                precision=estimate([claim.judgements[unit].precision for claim in claims]),
            )
            for unit in Unit
        },
        averitec=estimate([claim.counts(OFFICIAL_THRESHOLD) for claim in claims]),
        unjudged=tuple(
            Unjudged(claim_id=pair.gold.claim_id, unit=unit, reason=one)
            for pair, found in zip(pairs, outcomes, strict=True)
            for unit, one in found.items()
            if isinstance(one, str)
        ),
        claims=tuple(claims),
    )
