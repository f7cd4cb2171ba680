"""Score predictions against gold.

A metric is a module or a package of its own, a function from the pairs to a record, which ``ScoreReport`` holds and
``tables`` prints.
"""

import asyncio
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from submission.ev2r.judging import ReplyJournal, comparisons, judge_all
from submission.ev2r.replies import Mode
from submission.ev2r.scores import Ev2rScores, ev2r_scores
from submission.files import MissingResource, SubmissionError
from submission.legacy.scores import LegacyScores, legacy_scores
from submission.options import Metric as Metric
from submission.read import Pair, pair, predicts_two_labels, read_predictions, read_scored_gold
from submission.validate import outcome, validate
from system.graph.records import TWO_LABELS, Label, Record
from system.report.scores import INVALID, LabelScore, LabelScores


def label_scores(pairs: Sequence[Pair], labels: Sequence[Label] = tuple(Label)) -> LabelScores:
    """Score the predicted labels of at least one pair."""
    gold = [str(pair.gold.label) for pair in pairs]
    predicted = [pair.predicted.label if pair.predicted.label in set(Label) else INVALID for pair in pairs]
    return scores_of(gold, predicted, labels)


def constant_scores(pairs: Sequence[Pair], label: Label, labels: Sequence[Label] = tuple(Label)) -> LabelScores:
    """Score the constant answer ``label`` on the same claims."""
    return scores_of([str(pair.gold.label) for pair in pairs], [str(label)] * len(pairs), labels)


def in_two_labels(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs with two labels on both sides: what is not Supported is Refuted; invalid ones stay invalid."""

    def folded(one: Pair) -> Pair:
        label = one.predicted.label
        label = Label(label).of_two if label in set(Label) else label
        gold = one.gold.model_copy(update={"label": one.gold.label.of_two})
        return Pair(one.predicted.model_copy(update={"label": label}), gold)

    return tuple(map(folded, pairs))


def comparable_pairs(predictions: Path, gold: Path, *, two_labels: bool | None = None) -> tuple[Pair, ...]:
    """Pair the predictions of a run with gold, by default with two labels if the run had two.

    Raises:
        SubmissionError: a file cannot be read, or they share no claim.
    """
    pairs = pair(read_predictions(predictions), read_scored_gold(gold)).pairs
    two_labels = predicts_two_labels(predictions) if two_labels is None else two_labels
    return in_two_labels(pairs) if two_labels else pairs


def scores_of(gold: Sequence[str], predicted: Sequence[str], labels: Sequence[Label] = tuple(Label)) -> LabelScores:
    """Score labels, predicted ones in the order of the gold ones.

    Args:
        labels: which there are; ``TWO_LABELS`` for pairs that were folded.
    """
    names = [str(label) for label in labels]
    columns = precision_recall_fscore_support(gold, predicted, labels=names, zero_division=0)
    confusion = confusion_matrix(gold, predicted, labels=[*names, INVALID])
    return LabelScores(
        claims=len(gold),
        accuracy=float(accuracy_score(gold, predicted)),
        macro_f1=float(columns[2].mean()),
        labels={
            label: LabelScore(precision=float(precision), recall=float(recall), f1=float(f1), support=int(support))
            for label, precision, recall, f1, support in zip(labels, *columns, strict=True)
        },
        confusion={
            label: dict(zip([*names, INVALID], map(int, row), strict=True))
            for label, row in zip(labels, confusion[:-1], strict=True)
        },
    )


@dataclass(frozen=True)
class Judging:
    """The judge of Ev2R, its prompts and its journal.

    Attributes:
        judge: which model, see ``submission.ev2r.models.FORMS``.
        journal: where the judge's replies are kept.
        official_prompts: the organizers' file of prompts; ours are asked without it.
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
        left_out: metrics that were asked for and cannot be computed here, with the reason.
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
    left_out: dict[str, str] = Field(default_factory=dict)


def score(
    predictions: Path,
    gold: Path,
    metrics: Set[Metric] = frozenset(),
    judging: Judging | None = None,
    *,
    two_labels: bool | None = None,
) -> ScoreReport:
    """Score a predictions file on the claims that it shares, by id and text, with the gold file.

    Args:
        judging: needed for Ev2R alone.
        two_labels: whether there are but two, on both sides (see ``in_two_labels``); as many as the predictions' run
            had unless told otherwise.

    Raises:
        SubmissionError: a file cannot be read, or they share no claim.
    """
    gold_side = read_scored_gold(gold)
    pairing = pair(read_predictions(predictions), gold_side)
    two_labels = predicts_two_labels(predictions) if two_labels is None else two_labels
    pairs = in_two_labels(pairing.pairs) if two_labels else pairing.pairs
    labels = TWO_LABELS if two_labels else tuple(Label)
    legacy, left_out = None, {}
    if Metric.LEGACY in metrics:
        try:
            legacy = _legacy(pairs)
        except MissingResource as error:
            left_out[str(Metric.LEGACY)] = str(error)
    return ScoreReport(
        predictions=str(predictions),
        gold=str(gold),
        official=outcome(validate(predictions, [claim.claim for claim in gold_side])),
        gold_claims=len(gold_side),
        missing=tuple(claim.claim_id for claim in pairing.missing),
        extra=tuple(one.claim_id for one in pairing.extra),
        mismatched=tuple(
            Mismatch(claim_id=one.gold.claim_id, predicted=one.predicted.claim, gold=one.gold.claim)
            for one in pairing.mismatched
        ),
        labels=label_scores(pairs, labels),
        constant_refuted=constant_scores(pairs, Label.REFUTED, labels),
        legacy=legacy,
        ev2r=_ev2r(pairs, judging) if Metric.EV2R in metrics else None,
        left_out=left_out,
    )


def _legacy(pairs: Sequence[Pair]) -> LegacyScores:
    from submission.legacy.resources import load_meteor  # NLTK takes a second to import, and only this metric needs it

    return legacy_scores(pairs, *load_meteor())


def _ev2r(pairs: Sequence[Pair], judging: Judging | None) -> Ev2rScores:
    from submission.ev2r.models import load_judge  # loads the engine's models

    if not judging:
        raise SubmissionError("ev2r needs a judge; give one with --judge")
    asked = comparisons(pairs)
    with ReplyJournal(judging.journal) as journal:
        judge = load_judge(judging.judge, judging.official_prompts)
        outcomes = asyncio.run(judge_all(asked, judge, journal, judging.mode))
    return ev2r_scores(pairs, asked, outcomes, judge.name, judging.mode)
