"""The benchmarks of retrieval count final passages in each order, paired intervals, one page of each address."""

import numpy as np
import pytest

from knowledge_store.pages.page import Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from scripts.benchmarks.archive import merged
from scripts.benchmarks.candidate_recall import ENCODER, among_final, counted, difference
from system.averitec.gold import GoldAnswer, GoldClaim, GoldQuestion
from system.graph.records import Claim, Label
from tests.helpers.bridge import BagOfWords


@pytest.fixture
def ranked():
    texts = ["The bridge opened in 1932.", "The bridge is long.", "It opened, said the mayor, before the war."]
    pages = [Page(number, f"https://{number}.example", (text,)) for number, text in enumerate(texts)]
    return rank(pages, "The bridge opened in 1932.", RetrievalSettings())


def test_a_reranker_orders_what_the_encoder_found(ranked):
    answer = GoldAnswer(question="When did the bridge open?", place=0, text="1932")
    asked = GoldQuestion(text=answer.question, answers=(answer,))
    gold = GoldClaim(claim=Claim(id=0, text="The bridge opened."), label=Label.SUPPORTED, questions=(asked,))
    scorers = {"longest": lambda claim, question, texts: np.array([float(len(text)) for text in texts])}
    found = dict(among_final(gold, ranked, [64], [1, 3], BagOfWords(), scorers))
    assert [passage.text for passage in found[64, "longest", 1]] == ["It opened, said the mayor, before the war."]
    assert {*found[64, ENCODER, 3]} == {*found[64, "longest", 3]} and found[64, ENCODER, 1] != found[64, "longest", 1]


def test_counts_pages_and_sentences_of_final_passages(ranked):
    counts = counted(ranked.passages[:1], {"0.example", "9.example"}, ["the bridge opened in 1932.", "unknown"])
    assert counts.tolist() == [1, 1, 2, 2, 1]


def test_differences_are_paired_by_claim():
    base = np.array([[0, n % 3, 1, 4, 5] for n in range(40)])
    better = base + np.array([1, 1, 0, 0, 0])
    assert difference(better, base) == ["+1.000 [+1.000, +1.000]", "+0.250 [+0.250, +0.250]"]
    assert difference(base, base) == ["", ""]


def test_excerpts_of_one_address_become_one_page():
    pages = [Page(0, "a", ("one", "two")), Page(1, "b", ("three",)), Page(2, "a", ("two", "four"))]
    assert [(page.url, page.sentences) for page in merged(pages)] == [("a", ("one", "two", "four")), ("b", ("three",))]
