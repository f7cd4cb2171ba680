"""What words count, against rank_bm25: the parts of a text sum to its score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from knowledge_store.explanation import contributions, explain
from knowledge_store.tokenization import tokenize

WORDS = ["fish", "price", "1,000.5", "12%", "हिन्दी", "中文", "İs", "MAY", "ß", "—"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=8)


@given(texts=texts, query=st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
def test_contributions_sum_to_the_score(texts: list[str], query: str) -> None:
    words = [tokenize(text) for text in texts]
    scores = BM25Okapi(words).get_scores(tokenize(query)).tolist() if any(words) else [0.0] * len(texts)
    parts = contributions(texts, query)
    assert [sum(part.values()) for part in parts] == pytest.approx(scores, abs=1e-9)
    for part, held in zip(parts, words, strict=True):
        assert set(part) <= set(held) & set(tokenize(query))


def test_a_rare_word_counts_more_and_a_repeated_one_twice() -> None:
    texts = ["fish fell", "fish rose", "a fish", "bread", "corn", "oats", "rye"]
    once, twice = contributions(texts, "fish fell")[0], contributions(texts, "fish fell fish")[0]
    assert list(once) == ["fell", "fish"]
    assert twice == pytest.approx({"fell": once["fell"], "fish": 2 * once["fish"]})


def test_without_a_common_word_nothing_counts() -> None:
    assert contributions(["fish", "corn", "oats"], "rye") == [{}, {}, {}]
    assert contributions([], "rye") == []
    assert explain({}) == "BM25 0.00: no word of the question"
