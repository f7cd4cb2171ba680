"""The first stage: duplicates take no places, the best passages come first, and nothing heavy is imported."""

import sys

import pytest

from knowledge_store.pages.page import Flaw, Page
from knowledge_store.ranking import Library, rank
from knowledge_store.settings import RetrievalSettings
from tests.helpers.processes import ROOT, run_command

FILLER = [[f"Words about subject{number} and nothing else."] for number in range(8)]


def test_only_the_best_are_kept(write_store, monkeypatch):
    monkeypatch.setattr("knowledge_store.ranking.BM25_TOP_K", 2)
    ranked = rank(write_store(*FILLER), "subject5 and subject3", RetrievalSettings())
    assert [passage.page for passage in ranked.passages] == [3, 5]
    assert ranked.report.passages == 8


@pytest.mark.parametrize(
    ("pages", "kept", "flaw"),
    [
        ([["One page."], ["ONE", " page. "], ["Another."]], ["One page.", "Another."], Flaw.MIRROR),
        ([["0123abcde"], ["0123vwxyz"]], ["0123", "abcd", "e", "vwxy", "z"], Flaw.REPEATED_PASSAGE),
    ],
)
def test_a_copy_does_not_take_a_place(pages, kept, flaw, write_store):
    settings = RetrievalSettings(chunk_size=4 if flaw is Flaw.REPEATED_PASSAGE else 1000)
    ranked = rank(write_store(*pages), "page", settings)
    assert ([passage.text for passage in ranked.passages], ranked.report.flaws) == (kept, {flaw: 1})


def test_a_worker_loads_no_model_library():
    heavy = "{'torch', 'sentence_transformers', 'transformers', 'trafilatura', 'pypdfium2', 'mammoth'}"
    code = f"import sys, knowledge_store.ranking; print({heavy} & set(sys.modules))"
    assert run_command([sys.executable, "-c", code], cwd=ROOT).stdout.strip() == "set()"


CLAIMS = ["The zebra crossed the road the day before.", "A bridge opened in 1932.", "", "words about words"]
PAGES = [
    Page(0, "https://a.example/", ("The zebra crossed a road. " * 30, "The bridge opened. " * 40)),
    Page(1, "https://b.example/", ("Words about the bridge and about nothing else.",)),
    Page(2, "https://c.example/", ("WORDS about  the bridge and about nothing else.",)),
    *(Page(3 + n, f"https://{n}.example/", (f"The words of page {n}. " * n,)) for n in range(1, 9)),
]


@pytest.mark.parametrize("settings", [RetrievalSettings(), RetrievalSettings(chunk_size=90)])
def test_each_claim_gets_what_it_gets_alone(settings):
    library = Library(iter(PAGES), CLAIMS, settings)
    for claim in CLAIMS:
        alone, shared = rank(PAGES, claim, settings), library.rank(claim)
        assert (alone.passages, alone.report) == (shared.passages, shared.report)
