"""BM25: the words that count, and scores that equal the formula."""

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store import bm25
from knowledge_store.bm25 import Bm25, tokenize, words

K1, B, EPSILON = 1.5, 0.75, 0.25

texts = st.lists(st.text("abc ", max_size=12), max_size=8)


def okapi(query: str, collection: list[str]) -> list[float]:
    """BM25Okapi as Trotman et al. write it, with the floor that rank_bm25 puts under negative idf."""
    documents = [text.split() for text in collection]
    n = len(documents)
    vocabulary = {word for document in documents for word in document}
    if not vocabulary:
        return [0.0] * n
    df = {word: sum(word in document for document in documents) for word in vocabulary}
    idf = {word: math.log((n - count + 0.5) / (count + 0.5)) for word, count in df.items()}
    floor = EPSILON * sum(idf.values()) / len(idf)
    mean = sum(map(len, documents)) / n
    return [
        sum(
            (idf[word] if idf[word] >= 0 else floor)
            * document.count(word)
            * (K1 + 1)
            / (document.count(word) + K1 * (1 - B + B * len(document) / mean))
            for word in query.split()
            if word in idf
        )
        for document in documents
    ]


@given(query=st.text("abcd ", max_size=8), collection=texts)
def test_scores_equal_the_formula(query: str, collection: list[str]) -> None:
    ranking = Bm25(collection).rank(query, len(collection))
    expected = okapi(query, collection)
    assert sorted(ranking.positions) == list(range(len(collection)))
    assert ranking.scores == pytest.approx([expected[position] for position in ranking.positions])


@given(query=st.text("abcd ", max_size=8), collection=texts, limit=st.integers(1, 10))
def test_order_is_by_score_then_by_position(query: str, collection: list[str], limit: int) -> None:
    everything = Bm25(collection).rank(query, len(collection))
    assert list(zip(-everything.scores, everything.positions, strict=True)) == sorted(
        zip(-everything.scores, everything.positions, strict=True)
    )
    best = Bm25(collection).rank(query, limit)
    assert np.array_equal(best.positions, everything.positions[:limit])


def test_a_query_without_a_known_word_keeps_the_order() -> None:
    ranking = Bm25(["one", "two", "three"]).rank("zebra", 2)
    assert ranking.positions.tolist() == [0, 1]
    assert ranking.scores.tolist() == [0, 0]


@pytest.mark.parametrize("collection", [[], [""], ["...", "!"]])
def test_a_collection_without_words_scores_nothing(collection: list[str]) -> None:
    assert Bm25(collection).rank("word", 5).scores.tolist() == [0.0] * len(collection)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The U.S. economy's", ["the", "u", "s", "economy", "s"]),
        ("1,000.5 and 1000.5", ["1000.5", "and", "1000.5"]),
        ("12% in 2020.", ["12", "%", "in", "2020"]),
        ("$5m, the 1990s", ["5", "m", "the", "1990", "s"]),
        ("covid19 snake_case", ["covid19", "snake", "case"]),
        ("ÉCOLE Straße", ["école", "straße"]),
        ("प्रधानमंत्री ने कहा।", ["प्रधानमंत्री", "ने", "कहा"]),
        ("中国、東京タワー", ["中", "国", "東", "京", "タ", "ワ", "ー"]),
        ("서울에서 하노이 Hà Nội", ["서울에서", "하노이", "hà", "nội"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert tokenize(text) == expected


@given(text=st.text())
def test_spans_point_at_the_words(text: str) -> None:
    assert [word for _, word in words(text)] == tokenize(text)
    assert all(tokenize(text[start:end]) == [word] for (start, end), word in words(text))


@given(text=st.text(st.characters(categories=["L", "Nd"]), min_size=1))
def test_no_letter_or_digit_is_lost(text: str) -> None:
    assert "".join(text[start:end] for (start, end), _ in words(text)) == text


def test_docstrings_tell_the_truth() -> None:
    assert doctest.testmod(bm25).failed == 0
