"""How well the labels are predicted: accuracy, macro-F1, the labels one by one, and the confusion table."""

from collections.abc import Sequence

from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from submission.pairing import Pair
from system.records import Label, Record

INVALID = "(invalid)"
"""Stands for every predicted label that is none of the four; the official scorer counts it as wrong."""


class LabelScore(Record):
    """Scores of one label; 0 where the division has no meaning.

    Attributes:
        support: gold claims with the label.
    """

    precision: float
    recall: float
    f1: float
    support: int


class LabelScores(Record):
    """Scores of all labels.

    Attributes:
        macro_f1: mean F1 of the four labels, those that do not occur included.
        confusion: claims by gold label, then by predicted label.
    """

    claims: int
    accuracy: float
    macro_f1: float
    labels: dict[Label, LabelScore]
    confusion: dict[Label, dict[str, int]]


def label_scores(pairs: Sequence[Pair]) -> LabelScores:
    """Score the predicted labels of at least one pair."""
    gold = [str(pair.gold.label) for pair in pairs]
    return _scores(gold, [pair.predicted.label if pair.predicted.label in set(Label) else INVALID for pair in pairs])


def constant_scores(pairs: Sequence[Pair], label: Label) -> LabelScores:
    """What a system would score that says ``label`` of every claim."""
    return _scores([str(pair.gold.label) for pair in pairs], [str(label)] * len(pairs))


def _scores(gold: list[str], predicted: list[str]) -> LabelScores:
    names = [str(label) for label in Label]
    columns = precision_recall_fscore_support(gold, predicted, labels=names, zero_division=0)
    confusion = confusion_matrix(gold, predicted, labels=[*names, INVALID])
    return LabelScores(
        claims=len(gold),
        accuracy=float(accuracy_score(gold, predicted)),
        macro_f1=float(columns[2].mean()),
        labels={
            label: LabelScore(precision=float(precision), recall=float(recall), f1=float(f1), support=int(support))
            for label, precision, recall, f1, support in zip(Label, *columns, strict=True)
        },
        confusion={
            label: dict(zip([*names, INVALID], map(int, row), strict=True))
            for label, row in zip(Label, confusion[:-1], strict=True)
        },
    )
