"""Scores of strategies, checked against scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sklearn.metrics import f1_score

from system.app.commands.compare import comparison_tables
from system.app.variants import compare, macro_f1
from system.graph.records import Cost, Label
from tests.helpers.submission_factories import result

LABELS = list(Label)
S, R, N, C = LABELS


def results(labels):
    return [result(label=label) for label in labels]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_macro_f1_equals_scikit_learns(pairs):
    truth, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    expected = f1_score(truth, predicted, labels=range(4), average="macro", zero_division=0)
    assert macro_f1(truth, predicted) == pytest.approx(expected)


def test_accuracy_difference_and_false_positive_rates():
    gold = [S, R, R, N, C]
    first, second = compare(gold, {"first": [results([S, R, N, N, N])], "second": [results([S, R, R, N, R])]})
    assert first.accuracy.value == pytest.approx(3 / 5) and first.difference.value == 0
    assert second.difference.value == pytest.approx(1 / 5)
    assert first.false_positive_rates == {S: 0.0, R: 0.0, N: pytest.approx(2 / 4), C: 0.0}
    assert second.false_positive_rates[R] == pytest.approx(1 / 3)


def test_repeats_are_averaged_claim_by_claim():
    (score,) = compare([S, R], {"one": [results([S, R]), results([S, S])]})
    assert score.repeats == 2 and score.accuracy.value == pytest.approx(0.75)
    assert score.accuracy.low == pytest.approx(0.5)  # the second claim is right half of the time


def test_the_bootstrap_is_paired():
    rng = np.random.default_rng(0)
    gold = [S] * 200
    hard = rng.random(200) < 0.5
    base = [R if difficult else S for difficult in hard]
    better = list(base)
    better[int(np.flatnonzero(hard)[0])] = S  # one claim more, the others alike
    _, second = compare(gold, {"base": [results(base)], "better": [results(better)]})
    assert second.difference.high - second.difference.low < 0.02 < second.accuracy.high - second.accuracy.low
    assert second.difference.low >= 0


def test_intervals_have_about_their_nominal_coverage():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(40):
        labels = np.where(rng.random(120) < 0.7, S, R).tolist()
        (score,) = compare([S] * 120, {"one": [results(labels)]})
        held += score.accuracy.low <= 0.7 <= score.accuracy.high
    assert held >= 34  # of 40 at 95%


def test_costs_are_means_per_claim():
    costly = [result(label=S, cost=Cost(calls=2)), result(label=R, cost=Cost(calls=4), seconds=3.0)]
    (score,) = compare([S, R], {"one": [costly]})
    assert (score.calls, score.seconds, score.rounds, score.failures) == (3.0, 2.0, 2.0, 0.0)


def test_the_tables_fit_a_terminal_and_show_every_strategy():
    scores = compare([S, R], {"got": [results([S, R])], "got:debate=false": [results([S, S])]})
    console = Console(width=80, record=True)
    console.print(comparison_tables(scores, 2))
    shown = console.export_text()
    assert "-50.0 [-100.0, +0.0]" in shown and "…" not in shown
    assert shown.count("got:debate") == 3


def test_in_two_labels_gold_is_folded_and_macro_f1_is_of_two():
    (scores,) = compare([S, R, N], {"carp": [results([S, R, R])]}, two_labels=True)
    assert (scores.accuracy.value, scores.macro_f1.value) == (1.0, 1.0)
    assert [*scores.false_positive_rates] == [S, R]
