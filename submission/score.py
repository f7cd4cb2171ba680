"""Score predictions against gold.

A metric is a module or a package of its own, a function from the pairs to a record, which ``ScoreReport`` holds and
``score_tables`` shows.
"""

import asyncio
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from submission.ev2r.comparisons import comparisons
from submission.ev2r.journal import ReplyJournal
from submission.ev2r.judging import judge_all
from submission.ev2r.lexical import NAME, judge_lexically
from submission.ev2r.replies import Mode
from submission.ev2r.scores import Ev2rScores, ev2r_scores
from submission.files import SubmissionError
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
    EV2R = "ev2r"
    EV2R_LEXICAL = "ev2r-lexical"


@dataclass(frozen=True)
class Judging:
    """How Ev2R is judged.

    Attributes:
        judge: which model, see ``submission.ev2r.models.FORMS``.
        journal: where the judge's replies are kept.
        official_prompts: the organisers' file of prompts; ours are asked without it.
    """

    judge: str
    journal: Path
    mode: Mode = Mode.STRICT
    official_prompts: Path | None = None


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
    ev2r: Ev2rScores | None = None
    ev2r_lexical: Ev2rScores | None = None


def score(
    predictions: Path, gold: Path, metrics: Set[Metric] = frozenset(), judging: Judging | None = None
) -> ScoreReport:
    """Score a predictions file on the claims that it shares, by id and text, with the gold file.

    Args:
        judging: needed for Ev2R alone.

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
        ev2r=_ev2r(pairing.pairs, judging) if Metric.EV2R in metrics else None,
        ev2r_lexical=_lexical(pairing.pairs) if Metric.EV2R_LEXICAL in metrics else None,
    )


def _legacy(pairs: Sequence[Pair]) -> LegacyScores:
    from submission.legacy.resources import load_meteor  # NLTK takes a second to import, and only this metric needs it

    return legacy_scores(pairs, *load_meteor())


def _ev2r(pairs: Sequence[Pair], judging: Judging | None) -> Ev2rScores:
    from submission.ev2r.models import load_judge  # loads the engine's models

    if not judging:
        raise SubmissionError("ev2r needs a judge; give one with --judge, or take ev2r-lexical for a smoke test")
    asked = comparisons(pairs)
    with ReplyJournal(judging.journal) as journal:
        judge = load_judge(judging.judge, judging.official_prompts)
        outcomes = asyncio.run(judge_all(asked, judge, journal, judging.mode))
    return ev2r_scores(pairs, asked, outcomes, judge.name, judging.mode)


def _lexical(pairs: Sequence[Pair]) -> Ev2rScores:
    asked = comparisons(pairs)
    return ev2r_scores(pairs, asked, list(map(judge_lexically, asked)), NAME, Mode.STRICT)


def _mismatches(pairing: Pairing) -> tuple[Mismatch, ...]:
    return tuple(
        Mismatch(claim_id=one.gold.claim_id, predicted=one.predicted.claim, gold=one.gold.claim)
        for one in pairing.mismatched
    )
