"""BM25 in one pass: scores and order equal those of rank_bm25 over the same words, in every script."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from knowledge_store.bm25.scoring import Bm25, QueryCounter, count, encode
from knowledge_store.tokenization import tokenize

# Words that meet, part and fold in all the ways that the tokenizer knows.
PIECES = (
    *("The", "the", "THE", "é", "É", "e\u0301", "ß", "SS", "Σ", "ς", "İ", "ŉ", "covid19", "snake_case", "U.S."),
    *("1,000.5", "1000.5", "1,", ".5", "12%", "%", "½", "٣٫٥", "१२", "२,०", "๓.๔", "Ⅷ", "²"),
    *("प्रधानमंत्री", "कहा।", "中国", "東京", "カ\u3099", "서울에서", "ประเทศไทย", "မြန်မာ", "ភាសា", "עִבְרִית", "العَرَبِيَّة"),
    *("😀", "👩‍👧", "\ufeff", "\u00a0", "\u3000", "\n", " ", "  ", "—", "“", "\ud83d", "\x00", "𝔘", "𠀀", "𞤀"),
)
mixed = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)
few = st.text("abc ", max_size=12)
collections = st.lists(mixed, max_size=8) | st.lists(few, max_size=12)


def reference(query, collection):
    documents = [tokenize(text) for text in collection]
    if not any(documents):
        return np.zeros(len(documents))  # rank_bm25 divides by the number of words
    return np.asarray(BM25Okapi(documents).get_scores(tokenize(query)), dtype=np.float64)


@given(queries=st.lists(mixed | few, min_size=1, max_size=3), collection=collections, cut=st.integers(0, 8))
def test_scores_and_order_equal_the_reference(queries, collection, cut):
    counter = QueryCounter(queries)  # one count serves all the queries, and parts count as one collection
    for part in (collection[:cut], [], collection[cut:]):
        counter.add(count(*encode(part)))
    for query in queries:
        _check(counter.rank(query, len(collection)), reference(query, collection))
    _check(Bm25(collection).rank(queries[0], len(collection)), reference(queries[0], collection))


def _check(ranking, expected):
    assert ranking.scores == pytest.approx(expected[ranking.positions], rel=1e-12, abs=1e-12)
    assert ranking.positions.tolist() == np.argsort(-expected, kind="stable").tolist()


def test_a_collection_of_many_words_is_counted_whole():
    collection = [" ".join(f"w{number}" for number in range(start, start + 1000)) for start in range(0, 80_000, 500)]
    query = "w3 w700 w79999 w80499 absent w700"
    ranking = Bm25(collection).rank(query, len(collection))
    assert ranking.scores == pytest.approx(reference(query, collection)[ranking.positions], rel=1e-12)
