"""A collection that is counted once gives each of several claims what it would get alone."""

from datetime import date

import pytest

from knowledge_store.library import Library
from knowledge_store.pages.page import Flaw, Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings

CLAIMS = ["The zebra crossed the road the day before.", "A bridge opened in 1932.", "", "words about words"]
PAGES = [
    Page(0, "https://a.example/", ("The zebra crossed a road. " * 30, "The bridge opened. " * 40)),
    Page(1, "https://b.example/", ("Words about the bridge and about nothing else.",)),
    Page(2, "https://c.example/", ("WORDS about  the bridge and about nothing else.",)),
    *(Page(3 + n, f"https://{n}.example/", (f"The words of page {n}. " * n,)) for n in range(1, 9)),
]


@pytest.mark.parametrize("settings", [RetrievalSettings(), RetrievalSettings(chunk_size=90, chunk_overlap=9)])
def test_each_claim_gets_what_it_gets_alone(settings: RetrievalSettings) -> None:
    library = Library(PAGES, CLAIMS, settings)
    for claim in CLAIMS:
        alone, shared = rank(PAGES, claim, settings), library.rank(claim)
        assert (alone.passages, alone.scores, alone.report) == (shared.passages, shared.scores, shared.report)


def test_pages_are_read_once() -> None:
    library = Library(iter(PAGES), CLAIMS, RetrievalSettings())
    assert library.rank(CLAIMS[0]).passages and library.rank(CLAIMS[1]).passages


def test_a_page_that_repeats_one_claim_serves_the_others() -> None:
    pages = [Page(0, "https://a.example/", ("They wrote: a bridge opened in 1932.",)), *PAGES[1:3]]
    library = Library(pages, CLAIMS, RetrievalSettings(claim_copies=False))
    assert 0 not in {passage.page for passage in library.rank(CLAIMS[1]).passages}
    assert 0 in {passage.page for passage in library.rank(CLAIMS[3]).passages}


def test_pages_after_the_claims_are_left_out_and_counted() -> None:
    later = Page(0, "https://a.example/2020/11/03/vote", ("A bridge opened.",))
    library = Library([later], CLAIMS, RetrievalSettings(later_pages=False), date(2020, 10, 31))
    assert library.rank(CLAIMS[1]).passages == () and library.report.flaws == {Flaw.LATER_PAGE: 1}


def test_a_claim_that_was_not_announced_is_refused() -> None:
    with pytest.raises(KeyError, match="announced"):
        Library(PAGES, CLAIMS, RetrievalSettings()).rank("Unheard")
