"""The Ev2R scores of a run: recall and precision of questions and of evidence, and the AVeriTeC score of FEVER-8.

A claim counts for the AVeriTeC score when the recall of its evidence is above a threshold and its label is right.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from submission.ev2r.judging import ComparedPairs, Outcome
from submission.ev2r.replies import Judgement, Mode, Unit
from submission.read import Pair
from system.graph.records import Record

RESAMPLES = 2000
LEVEL = 0.95
SEED = 1


class Estimate(Record):
    """A mean over claims with its percentile bootstrap interval at 95% (Efron and Tibshirani, 1993, chapter 13)."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of at least one value; the same values always give the same interval."""
    numbers = np.asarray(values, dtype=float)
    draws = np.random.default_rng(SEED).integers(len(numbers), size=(RESAMPLES, len(numbers)))
    low, high = np.quantile(numbers[draws].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean=float(numbers.mean()), low=float(low), high=float(high))


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


class UnitScores(Record):
    """Means over the claims that count.

    Attributes:
        claims: how many those are.
    """

    claims: int
    recall: Estimate
    precision: Estimate


class Ev2rScores(Record):
    """Scores with what they rest on.

    Attributes:
        mode: in compatible mode a claim that could not be judged has recall 0, as it has for the official scorer; in
            strict mode it is left out of all means.
        units: only those of which any claim was judged.
        averitec: at the official threshold; None where no evidence was judged.
        curve: share of the claims above the threshold and with the right label, by threshold.
        unjudged: what could not be judged, in the order of the claims.
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
        outcomes: those of ``asked``, in order.
        judge: its name.
    """
    unjudged = tuple(
        Unjudged(claim_id=one.claim_id, unit=one.unit, reason=outcome)
        for one, outcome in zip(asked, outcomes, strict=True)
        if isinstance(outcome, str)
    )
    claims = _claims(pairs, asked, [_counted(outcome, mode) for outcome in outcomes])
    units = {unit: [claim.judgements[unit] for claim in claims if unit in claim.judgements] for unit in Unit}
    passed = {threshold: list(_passed(claims, threshold)) for threshold in THRESHOLDS}
    official = passed[OFFICIAL_THRESHOLD]
    return Ev2rScores(
        judge=judge,
        mode=mode,
        units={unit: _unit_scores(judgements) for unit, judgements in units.items() if judgements},
        averitec=estimate(official) if official else None,
        curve={threshold: sum(each) / len(each) for threshold, each in passed.items() if each},
        unjudged=unjudged,
        claims=claims,
    )


def _counted(outcome: Outcome, mode: Mode) -> Judgement | None:
    if isinstance(outcome, Judgement):
        return outcome
    return Judgement(precision=0.0, recall=0.0) if mode is Mode.COMPATIBLE else None


def _claims(
    pairs: Sequence[Pair], asked: Sequence[ComparedPairs], counted: Sequence[Judgement | None]
) -> tuple[ClaimEv2r, ...]:
    judgements: dict[int, dict[Unit, Judgement]] = {pair.gold.claim_id: {} for pair in pairs}
    for one, judgement in zip(asked, counted, strict=True):
        if judgement:
            judgements[one.claim_id][one.unit] = judgement
    return tuple(
        ClaimEv2r(
            claim_id=pair.gold.claim_id,
            right=pair.predicted.label == pair.gold.label,
            judgements=judgements[pair.gold.claim_id],
        )
        for pair in pairs
    )


def _unit_scores(judgements: Sequence[Judgement]) -> UnitScores:
    return UnitScores(
        claims=len(judgements),
        recall=estimate([judgement.recall for judgement in judgements]),
        precision=estimate([judgement.precision for judgement in judgements]),
    )


def _passed(claims: Iterable[ClaimEv2r], threshold: float) -> Iterable[bool]:
    """Of each claim whose evidence was judged, whether it counts."""
    for claim in claims:
        if evidence := claim.judgements.get(Unit.EVIDENCE):
            yield claim.right and evidence.recall > threshold
