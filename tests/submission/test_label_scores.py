from collections.abc import Sequence

import pytest

from submission.label_scores import INVALID, constant_scores, label_scores
from submission.pairing import Pair
from submission.reading import Gold, Predicted
from system.records import Label

SUPPORTED, REFUTED, NEI, CONFLICTING = Label


def _pairs(labels: Sequence[tuple[Label, str]]) -> list[Pair]:
    return [
        Pair(Predicted(claim_id=n, claim="c", label=predicted), Gold(claim_id=n, claim="c", label=gold))
        for n, (gold, predicted) in enumerate(labels)
    ]


# Worked out by hand: Supported 1 of 2 found with 1 false alarm; Refuted 2 of 3 with 1; NEI 1 of 1; Conflicting 0 of 1.
PAIRS = _pairs(
    [
        (SUPPORTED, SUPPORTED),
        (SUPPORTED, REFUTED),
        (REFUTED, REFUTED),
        (REFUTED, REFUTED),
        (REFUTED, SUPPORTED),
        (NEI, NEI),
        (CONFLICTING, "Conflicting evidence"),
    ]
)


def test_scores_are_those_worked_out_by_hand() -> None:
    scores = label_scores(PAIRS)
    assert scores.claims == 7
    assert scores.accuracy == pytest.approx(4 / 7)
    assert scores.macro_f1 == pytest.approx((1 / 2 + 2 / 3 + 1 + 0) / 4)
    refuted = scores.labels[REFUTED]
    assert (refuted.precision, refuted.recall, refuted.support) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 3)
    assert (scores.labels[CONFLICTING].precision, scores.labels[CONFLICTING].f1) == (0, 0)


def test_confusion_counts_gold_by_predicted_and_invalid_labels_apart() -> None:
    confusion = label_scores(PAIRS).confusion
    assert confusion[REFUTED] == {SUPPORTED: 1, REFUTED: 2, NEI: 0, CONFLICTING: 0, INVALID: 0}
    assert confusion[CONFLICTING][INVALID] == 1
    assert sum(sum(row.values()) for row in confusion.values()) == len(PAIRS)


@pytest.mark.parametrize("label", ["refuted", "Refuted ", ""])
def test_a_label_spelt_otherwise_is_wrong_as_it_is_for_the_official_scorer(label: str) -> None:
    scores = label_scores(_pairs([(REFUTED, label), (REFUTED, REFUTED)]))
    assert (scores.accuracy, scores.confusion[REFUTED][INVALID]) == (0.5, 1)


def test_the_macro_mean_counts_labels_that_do_not_occur() -> None:
    assert label_scores(_pairs([(REFUTED, REFUTED)])).macro_f1 == 0.25


def test_the_constant_answer_is_right_as_often_as_its_label_occurs() -> None:
    scores = constant_scores(PAIRS, REFUTED)
    assert scores.accuracy == pytest.approx(3 / 7)
    assert scores.macro_f1 == pytest.approx(0.6 / 4)
    assert scores.labels[REFUTED].recall == 1
