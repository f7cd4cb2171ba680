"""Score predictions against gold.

A metric is a module or a package of its own, a function from the pairs to a record, which ``ScoreReport`` holds and
``tables`` prints.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from pydantic import Field

from submission.ev2r.scores import Ev2rScores, ev2r_scores
from submission.files import EXTRA, MissingResource
from submission.legacy.scores import LegacyScores, legacy_scores
from submission.read import Pair, Pairing, read_pairing
from submission.validate import outcome, validate
from system.graph.records import TWO_LABELS, Label, Record
from system.report.scores import INVALID, LabelScore, LabelScores

Metrics = Mapping[str, Callable[[Sequence[Pair]], Any]]
"""Functions that score evidence, by fields of ``ScoreReport``: ``score_legacy``, ``score_ev2r`` with a judge."""
NONE: Metrics = MappingProxyType({})


def label_scores(gold: Sequence[str], predicted: Sequence[str], labels: Sequence[Label] = tuple(Label)) -> LabelScores:
    """Score at least one label, predicted ones in the order of the gold ones; ``labels`` are all that there are."""
    columns = [*map(str, labels), INVALID]
    place = {name: number for number, name in enumerate(columns)}
    confusion = np.zeros((len(labels), len(columns)), int)
    np.add.at(confusion, ([place[one] for one in gold], [place.get(one, len(labels)) for one in predicted]), 1)
    right, support, given = confusion.diagonal(), confusion.sum(1), confusion.sum(0)[:-1]
    precision, recall = right / np.maximum(given, 1), right / np.maximum(support, 1)
    scores = np.column_stack([precision, recall, 2 * right / np.maximum(given + support, 1)])
    return LabelScores(
        claims=len(gold),
        accuracy=float(right.sum() / len(gold)),
        macro_f1=float(scores[:, 2].mean()),
        labels={
            label: LabelScore(precision=one[0], recall=one[1], f1=one[2], support=int(claims))
            for label, one, claims in zip(labels, scores.tolist(), support, strict=True)
        },
        confusion={
            label: dict(zip(columns, row, strict=True)) for label, row in zip(labels, confusion.tolist(), strict=True)
        },
    )


def scores_of(pairing: Pairing) -> tuple[LabelScores, LabelScores]:
    """Score the labels of all pairs; return also what the constant answer "Refuted" scores."""
    labels = TWO_LABELS if pairing.two_labels else tuple(Label)
    gold = [str(one.gold.label) for one in pairing.pairs]
    predicted = label_scores(gold, [one.predicted.label for one in pairing.pairs], labels)
    return predicted, label_scores(gold, [str(Label.REFUTED)] * len(gold), labels)


class Mismatch(Record):
    """A prediction that was not scored, since its claim is not the gold claim of its id."""

    claim_id: int
    predicted: str
    gold: str


class ScoreReport(Record):
    """Scores of a predictions file."""

    predictions: str
    gold: str
    official: str  #: what the official scorer does with the predictions file, in words
    gold_claims: int  #: claims of the gold file
    missing: tuple[int, ...]  #: ids of gold claims that have no prediction
    extra: tuple[int, ...]  #: ids of predictions that no gold claim has
    mismatched: tuple[Mismatch, ...]
    labels: LabelScores
    constant_refuted: LabelScores  #: what the constant answer "Refuted" scores on the same claims
    legacy: LegacyScores | None = None
    ev2r: Ev2rScores | None = None
    #: metrics that were asked for and cannot be computed here, with the reason
    left_out: dict[str, str] = Field(default_factory=dict)


def score(predictions: Path, gold: Path, metrics: Metrics = NONE, *, two_labels: bool | None = None) -> ScoreReport:
    """Score a predictions file on the claims that it shares, by id and text, with the gold file.

    By default the labels of both sides are folded into two (see ``Pair.of_two``) if the run had two.
    """
    pairing = read_pairing(predictions, gold, two_labels=two_labels)
    labels, constant = scores_of(pairing)
    found, left_out = {}, {}
    for name, metric in metrics.items():
        try:
            found[name] = metric(pairing.pairs)
        except MissingResource as error:
            left_out[name] = str(error)
    return ScoreReport(
        predictions=str(predictions),
        gold=str(gold),
        official=outcome(validate(predictions, [claim.claim for claim in pairing.gold])),
        gold_claims=len(pairing.gold),
        missing=tuple(claim.claim_id for claim in pairing.missing),
        extra=tuple(one.claim_id for one in pairing.extra),
        mismatched=tuple(
            Mismatch(claim_id=one.gold.claim_id, predicted=one.predicted.claim, gold=one.gold.claim)
            for one in pairing.mismatched
        ),
        labels=labels,
        constant_refuted=constant,
        left_out=left_out,
        **found,
    )


def score_legacy(pairs: Sequence[Pair]) -> LegacyScores:
    """Score pairs by METEOR; raise ``MissingResource`` if there is no NLTK or no WordNet."""
    try:
        from submission.legacy.resources import load_meteor  # NLTK takes a second, and only this metric needs it
    except ModuleNotFoundError as error:
        raise MissingResource(f"METEOR needs {error.name}; {EXTRA}") from error

    return legacy_scores(pairs, *load_meteor())


def score_ev2r(pairs: Sequence[Pair], *, judge: str, prompts: Path, journal: Path) -> Ev2rScores:
    """Have a judge (see ``load_judge``) compare the evidence of pairs; the journal keeps its replies."""
    from submission.ev2r.judge import load_judge  # loads the engine's models
    from submission.ev2r.judging import ReplyJournal, judge_all

    with ReplyJournal(journal) as replies:
        loaded = load_judge(judge, prompts)
        outcomes = asyncio.run(judge_all(pairs, loaded, replies))
    return ev2r_scores(pairs, outcomes, loaded.name)
