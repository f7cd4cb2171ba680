"""The decision over a page: what it is fitted on, and from where it is sure."""

import numpy as np

from tests.helpers.bridge import BagOfWords
from training.verifier.decision import Example, examples, sure_from
from training.verifier.pairs import LABELS, Pair

PAIRS = [
    Pair(f"The {thing} opened in 19{year}.", f"The {thing} opened in 1930.", label, "set")
    for thing, year, label in (("bridge", 30, "supported"), ("tower", 41, "refuted"), ("canal", 52, "refuted"))
    for label in (label, "not enough")
]


def test_a_page_hides_its_sentence_or_is_silent():
    made = list(examples(PAIRS * 5, BagOfWords(), seed=2))
    assert made == list(examples(PAIRS * 5, BagOfWords(), seed=2))
    for pair, example in zip(PAIRS * 5, made, strict=True):
        assert isinstance(example, Example) and example.statement == pair.statement
        hidden = pair.evidence in example.page
        assert example.label == LABELS.index(pair.label if hidden else "not enough")
    assert {pair.evidence in example.page for pair, example in zip(PAIRS * 5, made, strict=True)} == {True, False}


def test_sure_is_where_few_pages_take_the_wrong_side():
    labels = np.array([0] * 20 + [1] * 20)
    probabilities = np.tile([0.9, 0.1, 0.0], (40, 1))
    probabilities[20:] = [0.1, 0.9, 0.0]
    probabilities[20:24] = [0.58, 0.42, 0.0]  # a fifth of the refuted pages seem supported, none of them surely
    assert sure_from(probabilities, labels) == (0.6, 0.4)
