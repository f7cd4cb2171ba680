"""Dense search: the nearest passages, embedded once, whatever was asked before."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.dense.prepared import prepare
from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.page import Passage, ReadingReport
from knowledge_store.ranking import RankedStore
from knowledge_store.settings import RetrievalSettings
from tests.helpers.word_encoder import BagOfWords

TEXTS = [
    "The minister opened a bridge in Oslo.",
    "Rain is expected on Tuesday.",
    "The bridge in Oslo cost 12% more than planned.",
    "Fish prices fell.",
    "A new bridge was opened by the king.",
    "Bananas are yellow.",
]


def ranked_store(texts):
    passages = tuple(Passage(text, f"https://site{page}.example/", page, 0) for page, text in enumerate(texts))
    return RankedStore(passages, ReadingReport("memory", len(texts), len(texts), {}), 0.0)


def index(texts, encoder, candidates=100):
    return PassageIndex(ranked_store(texts), encoder, RetrievalSettings(dense_candidates=candidates))


def pages(hits):
    return [hit.passage.page for hit in hits]


words = st.lists(st.sampled_from(["one", "two", "three", "four", "five", "six"]), min_size=1, max_size=8).map(" ".join)


@given(texts=st.lists(words, min_size=1, max_size=12, unique=True), question=words, written=st.lists(words, max_size=3))
def test_the_best_is_what_brute_force_finds(texts, question, written):
    encoder = BagOfWords()
    search = index(texts, encoder)
    search.expand(written)
    (hit,) = search.nearest(question, 1)
    query = np.mean([*encoder.encode_queries([question]), *encoder.encode(written)], axis=0)
    cosines = encoder.encode(texts) @ (query / np.linalg.norm(query))
    assert hit.score == pytest.approx(cosines[hit.passage.page], abs=1e-5)
    assert hit.score > cosines.max() - 2e-4


def test_embeds_only_candidates_of_the_question_or_the_claim(encoder):
    hits = index(TEXTS, encoder, candidates=1).nearest("yellow bananas", 5)
    assert encoder.embedded == [TEXTS[0], TEXTS[5]], "the claim's best and the question's best"
    assert pages(hits) == [5, 0]


def test_vectors_from_before_the_run_are_read_unless_another_encoder_made_them(encoder, tmp_path, caplog):
    ranked, question = replace(ranked_store(TEXTS), file=tmp_path / "0.json"), "yellow bananas"
    prepare(ranked.file, ranked.passages[1:], encoder, "mine")
    for name, embedded in (("mine", TEXTS[:1]), ("another", TEXTS)):
        encoder.embedded.clear()
        search = PassageIndex(ranked, encoder, RetrievalSettings(encoder=name))
        assert pages(search.nearest(question, 6)) == pages(index(TEXTS, BagOfWords()).nearest(question, 6))
        assert encoder.embedded == embedded
    assert "0.npz: not used (expected the encoder another, got mine)" in caplog.text
    ranked.file.with_suffix(".npz").write_bytes(b"PK")
    assert PassageIndex(ranked, encoder, RetrievalSettings(encoder="mine")).nearest(question, 1)


def test_no_passage_is_embedded_twice(encoder):
    search = index(TEXTS, encoder, candidates=2)
    for question in ("bridge", "fish", "bananas", "bridge", "rain"):
        search.nearest(question, 5)
    search.vectors(ranked_store(TEXTS).passages)
    assert sorted(encoder.embedded) == sorted(TEXTS)


@pytest.mark.parametrize(
    "copy",
    [
        "Fish prices fell in May, the bureau said on Monday.",
        "FISH prices  fell in May, the bureau said on Monday.",
        "prices fell in May, the bureau said",
        "On Monday the bureau said: fish prices fell in May.",
    ],
    ids=["same", "case and space", "part", "same words"],
)
@pytest.mark.parametrize("place", [0, 1])
def test_leaves_out_a_passage_that_repeats_a_better_one(copy, place, encoder):
    texts = ["Fish prices fell in May, the bureau said on Monday.", "Fish is a food."]
    texts.insert(place, copy)
    hits = index(texts, encoder).nearest("fish prices May", 3)
    assert len(hits) == 2
    assert hits[1].passage.text == "Fish is a food."


def test_known_passages_and_their_copies_are_not_found_again(encoder):
    texts = ["Fish prices fell in May.", "fish prices fell", "In May fell fish prices.", "Fish rose."]
    search = index(texts, encoder)
    assert pages(search.nearest("fish prices", 4, found=[ranked_store(texts).passages[0]])) == [3]
    assert pages(search.nearest("fish prices", 4)) == [1, 2, 3], "what was known to one search is not to the next"
