"""Score predictions against gold.

A metric is a module or a package of its own, a function from the pairs to a record, which ``ScoreReport`` holds and
``score_tables`` shows.
"""

from collections.abc import Sequence, Set
from enum import StrEnum
from pathlib import Path

from submission.label_scores import LabelScores, constant_scores, label_scores
from submission.legacy.scores import LegacyScores, legacy_scores
from submission.pairing import Pair, Pairing, pair
from submission.reading import read_gold, read_predictions
from submission.validate import outcome, validate
from system.records import Label, Record


class Metric(StrEnum):
    """What can be computed beside the scores of the labels, which always are."""

    LABELS = "labels"
    LEGACY = "legacy"


class Mismatch(Record):
    """A prediction that was not scored, since its claim is not the gold claim of its id."""

    claim_id: int
    predicted: str
    gold: str


class ScoreReport(Record):
    """Scores of a predictions file.

    Attributes:
        official: what the official scorer does with the predictions file, in words.
        gold_claims: claims of the gold file.
        missing: ids of gold claims that have no prediction.
        extra: ids of predictions that no gold claim has.
        constant_refuted: what the constant answer "Refuted" scores on the same claims.
    """

    predictions: str
    gold: str
    official: str
    gold_claims: int
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    mismatched: tuple[Mismatch, ...]
    labels: LabelScores
    constant_refuted: LabelScores
    legacy: LegacyScores | None = None


def score(predictions: Path, gold: Path, metrics: Set[Metric] = frozenset()) -> ScoreReport:
    """Score a predictions file on the claims that it shares, by id and text, with the gold file.

    Raises:
        SubmissionError: a file cannot be read, or they share no claim.
    """
    gold_side = read_gold(gold)
    pairing = pair(read_predictions(predictions), gold_side)
    return ScoreReport(
        predictions=str(predictions),
        gold=str(gold),
        official=outcome(validate(predictions, [claim.claim for claim in gold_side])),
        gold_claims=len(gold_side),
        missing=tuple(claim.claim_id for claim in pairing.missing),
        extra=tuple(one.claim_id for one in pairing.extra),
        mismatched=_mismatches(pairing),
        labels=label_scores(pairing.pairs),
        constant_refuted=constant_scores(pairing.pairs, Label.REFUTED),
        legacy=_legacy(pairing.pairs) if Metric.LEGACY in metrics else None,
    )


def _legacy(pairs: Sequence[Pair]) -> LegacyScores:
    from submission.legacy.resources import load_meteor  # needs NLTK, which only this metric does

    return legacy_scores(pairs, *load_meteor())


def _mismatches(pairing: Pairing) -> tuple[Mismatch, ...]:
    return tuple(
        Mismatch(claim_id=one.gold.claim_id, predicted=one.predicted.claim, gold=one.gold.claim)
        for one in pairing.mismatched
    )
