"""Sentences and cosines, and that they depend on nothing but the texts."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_store.dense.encoder import CachingEncoder, SentenceEncoder, Vectors
from system.models.extractive.answers import Similarity
from system.text.words import sentences
from tests.helpers.bridge import BagOfWords

texts = st.lists(st.sampled_from(["the bridge", "a bridge of stone", "tolls", "stone", "the toll of the bridge"]))


class Counting(BagOfWords):
    """An encoder that notes what it is given."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        return super().encode(texts)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_sentences_stand_in_the_text_in_order(text: str) -> None:
    position = 0
    for sentence in sentences(text):
        assert sentence.strip() == sentence != ""
        position = text.index(sentence, position) + len(sentence)


@settings(deadline=None)
@given(texts)
def test_cosines_are_those_of_the_encoder(others: list[str]) -> None:
    vectors = BagOfWords().encode(["the bridge", *others])
    expected = (vectors[1:] @ vectors[0]).round(4)
    assert Similarity(BagOfWords()).between("the bridge", others) == pytest.approx(expected)


@settings(deadline=None)
@given(texts, st.integers(1, 4))
def test_forgetting_changes_no_result(others: list[str], capacity: int) -> None:
    small, large = Similarity(CachingEncoder(BagOfWords(), capacity)), Similarity(BagOfWords())
    for _ in range(2):
        assert np.array_equal(small.between("the bridge", others), large.between("the bridge", others))


def test_each_text_is_embedded_once() -> None:
    encoder = Counting()
    similarity = Similarity(encoder)
    similarity.prepare(["a", "b", "a"])
    similarity.between("a", ["b", "c"])
    assert sorted(encoder.seen) == ["a", "b", "c"]


def test_the_least_recently_used_is_forgotten_first() -> None:
    encoder = Counting()
    similarity = Similarity(CachingEncoder(encoder, capacity=2))
    similarity.between("a", ["b"])
    similarity.between("a", ["c"])
    encoder.seen.clear()
    similarity.between("a", ["c"])
    assert encoder.seen == []
    similarity.between("a", ["b"])
    assert encoder.seen == ["b"]


@pytest.mark.slow
def test_cosines_do_not_depend_on_the_batch() -> None:
    encoder = SentenceEncoder("all-MiniLM-L6-v2", device="cpu")
    others = ["The bridge opened in 1932.", "Tolls rose.", "A very long sentence about bridges, " * 9]
    together, alone = Similarity(encoder), Similarity(encoder)
    together.prepare(["The bridge", *others])
    for text in others:
        alone.prepare([text])
    assert np.array_equal(together.between("The bridge", others), alone.between("The bridge", others))
