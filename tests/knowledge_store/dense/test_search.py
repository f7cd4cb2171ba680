"""Beam search along chains of passages, against brute force over all chains."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_store.dense.search import diverse, search, search_paths
from knowledge_store.settings import MultiHopSettings
from tests.helpers.word_encoder import BagOfWords
from tests.knowledge_store.dense.test_index import index, ranked_store

CHAIN = [
    "The star of Respiro is Valeria Golino.",
    "Valeria Golino played beside Tom Cruise.",
    "Tom Cruise and Bonnie Hunt are in Jerry Maguire.",
    "Respiro was filmed on an island of Italy.",
    "Bananas are yellow.",
    "Fish prices fell in May.",
]
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def stores(fewest, most):
    """Passages of ``fewest`` to ``most`` words; no two have the same words."""
    texts = st.lists(st.sampled_from(WORDS), min_size=fewest, max_size=most, unique=True).map(" ".join)
    return st.lists(texts, min_size=1, max_size=5, unique_by=lambda text: frozenset(text.split()))


questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


def pages(path):
    return [passage.page for passage in path.passages]


def likelihood(texts, question, chain):
    """Equation 1 of the paper with lambda 1 and the distance 1 - cosine."""
    encoder, total = BagOfWords(), 0.0
    for hop, page in enumerate(chain):
        query = "\n".join([question, *(texts[before] for before in chain[:hop][::-1])])
        total -= 1 - float(encoder.encode([texts[page]])[0] @ encoder.encode([query])[0])
    return total


@settings(max_examples=40, deadline=None)
@given(texts=stores(3, 3), question=questions, hops=st.integers(1, 3))
def test_an_exhaustive_beam_finds_the_best_chain(texts, question, hops):
    wide = MultiHopSettings(beam_width=500, hops=hops, hop_candidates=100)
    found = search_paths(index(texts, BagOfWords()), question, wide)
    assert sorted(map(tuple, map(pages, found))) == list(permutations(range(len(texts)), min(hops, len(texts))))
    scores = [path.log_likelihood for path in found]
    assert scores == pytest.approx([likelihood(texts, question, pages(path)) for path in found], abs=1e-4)
    assert np.all(np.diff(scores) < 1e-4)


def test_a_chain_reaches_what_the_question_does_not_name(encoder):
    question = "Who is the star of Respiro?"
    chain = index(CHAIN, encoder)
    assert 1 not in [hit.passage.page for hit in chain.nearest(question, 2)]
    assert pages(search_paths(chain, question, MultiHopSettings(hops=2))[0]) == [0, 1]


def test_hits_are_the_best_paths_then_what_others_add(encoder):
    chain, question = index(CHAIN, encoder), "star of Respiro"
    paths = search_paths(chain, question, MultiHopSettings(hops=2))
    assert len(paths) == 3
    hits = search(chain, question, 12, MultiHopSettings(hops=2))
    assert hits[:2] == list(paths[0].hits)
    assert len({hit.passage.key for hit in hits}) == len(hits)
    assert {hit.passage for hit in hits} == {passage for path in paths for passage in path.passages}
    assert search(chain, question, 3, MultiHopSettings(hops=2)) == hits[:3]


def test_puts_the_newest_evidence_first_in_the_query():
    asked: list[str] = []

    class Listening(BagOfWords):
        def encode_queries(self, texts):
            asked.extend(texts)
            return super().encode_queries(texts)

    encoder = Listening()
    chain = index(CHAIN[:3], encoder)
    chain.vectors(ranked_store(CHAIN[:3]).passages)
    asked.clear()
    path = search_paths(chain, "Respiro", MultiHopSettings(beam_width=1, hops=3))[0]
    first, second, _ = path.passages
    assert asked == ["Respiro", f"Respiro\n{first.text}", f"Respiro\n{second.text}\n{first.text}"]


@pytest.mark.parametrize("texts", [[], ["Only one."], ["Fish.", "fish."]])
def test_tiny_and_empty_stores_can_be_searched(texts, encoder):
    paths = search_paths(index(texts, encoder), "fish?", MultiHopSettings())
    assert [len(path.hits) for path in paths] == [1] * bool(texts)
    assert len(search(index(texts, encoder), "fish?", 5, MultiHopSettings())) == bool(texts)


def test_diverse_hits_are_near_to_the_question_and_unlike_each_other():
    texts = ["one two three four", "one two three five", "one two eight nine", "six seven"]
    store = index(texts, BagOfWords())
    hits = store.nearest("one two", 4)
    assert [hit.passage.page for hit in diverse(store, hits, 3, 1.0)] == [0, 1, 2]
    assert [hit.passage.page for hit in diverse(store, hits, 2, 0.5)] == [0, 2]
    assert diverse(store, hits, 9, 0.5) and diverse(store, [], 3, 0.5) == []
