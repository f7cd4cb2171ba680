"""Questions and hops search the archive too, not the claim alone."""

from datetime import date
from itertools import permutations

import pytest

from knowledge_store.dense.archive import add_vectors
from knowledge_store.dense.search import PassageIndex, search
from knowledge_store.pages.page import Flaw, Page
from knowledge_store.ranking import rank
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import MultiHopSettings, RetrievalSettings
from tests.helpers.word_encoder import BagOfWords

CLAIM = "The Aster bridge opened in 1931."
PAGES = (
    Page(0, "https://a.example/", ("The Aster bridge was built by Mara Holt.",), date(2020, 1, 1)),
    Page(1, "https://b.example/", ("Mara Holt learned from Ivo Brandt.",), date(2020, 1, 1)),
    Page(2, "https://c.example/", ("Ivo Brandt died of fever.",), date(2022, 1, 1)),
    Page(3, "https://snopes.com/d", ("Bananas are yellow, says Snopes.",)),
    Page(4, "https://e.example/", ("Bananas are yellow.",)),
)


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "a.sqlite"
    Archive(path).add(PAGES)
    return path


def index(archive, encoder, **settings):
    chosen = RetrievalSettings.model_validate(settings)
    return PassageIndex(rank(archive, CLAIM, chosen, date(2021, 1, 1)), encoder, chosen)


def found(index, question, hops=None):
    return [hit.passage.url for hit in search(index, question, 2, hops)]


def test_a_question_finds_what_the_claim_does_not_lead_to(archive, encoder):
    assert [passage.url for passage in rank(archive, CLAIM, RetrievalSettings()).passages] == ["https://a.example/"]
    assert found(index(archive, encoder), "Who taught Mara Holt?")[0] == "https://b.example/"


def test_hops_go_through_the_archive(archive, encoder):
    hops = MultiHopSettings(beam_width=1, hops=3, hop_candidates=1)
    *_, last = search(index(archive, encoder), "Who built the Aster bridge?", 3, hops)
    assert last.passage.url == "https://c.example/"


def test_what_was_asked_before_changes_nothing(archive):
    questions = ["Who taught Mara Holt?", "What colour are bananas?", "Who died of fever?"]
    alone = {question: found(index(archive, BagOfWords()), question) for question in questions}
    for order in permutations(questions):
        asked = index(archive, BagOfWords())
        assert {question: found(asked, question) for question in order} == alone


def test_filters_hold_for_what_questions_find(archive, encoder):
    asked = index(archive, encoder, fact_checks=False, later_pages=False)
    assert "https://snopes.com/d" not in found(asked, "bananas yellow snopes")
    assert asked.flaws[Flaw.FACT_CHECK] == 1
    assert "https://c.example/" not in found(asked, "Who died of fever?")


def test_vectors_of_the_archive_are_not_made_again(archive, encoder):
    pytest.importorskip("faiss", reason="needs faiss-cpu")
    add_vectors(Archive(archive), BagOfWords(), RetrievalSettings())
    assert found(index(archive, encoder), "Who taught Mara Holt?")[0] == "https://b.example/"
    assert encoder.embedded == []


def test_an_archive_that_fails_leaves_the_claims_own_pages(archive, encoder):
    asked = index(archive, encoder)
    archive.write_bytes(archive.read_bytes()[:100] + bytes(10_000))
    assert found(asked, "Who taught Mara Holt?") == ["https://a.example/"]
    assert asked.flaws[Flaw.SEARCH_FAILED]


def test_an_archive_searched_beside_a_store_serves_questions(archive, encoder):
    settings = RetrievalSettings(search=str(archive))
    own = [Page(1, "https://own.example/", ("The Aster bridge opened late.",))]
    asked = PassageIndex(rank(own, CLAIM, settings), encoder, settings)
    assert found(asked, "Who taught Mara Holt?")[0] == "https://b.example/"
    assert "https://own.example/" in found(asked, "Aster bridge opened late")
