"""The first stage of retrieval: from a claim's pages to the passages that BM25 keeps for the claim (section 3.2.2).

It runs in worker processes, so nothing here imports torch or sentence-transformers, and what it returns can be
pickled.
"""

import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from pathlib import Path
from time import monotonic, perf_counter

from knowledge_store.bm25.passages import Candidates, batches
from knowledge_store.pages import reading
from knowledge_store.pages.filters import admitted
from knowledge_store.pages.page import FOUND, Flaw, Flaws, Page, Passage, ReadingReport
from knowledge_store.pages.store import read_pages
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive, is_archive
from knowledge_store.searchers.searched import on_the_web, searched
from knowledge_store.settings import RetrievalSettings

log = logging.getLogger(__name__)

ARCHIVE_PAGES = 100  # ranked for a claim whose store is an archive; each question adds ``SEARCH_RESULTS``


@dataclass(frozen=True)
class OpenBook:
    """The archive where each question about a claim is searched for too (the open-book setting of CARP, section 4).

    Attributes:
        first: number of the archive's first row among the pages of the claim.
    """

    archive: Path
    claim: str
    day: date | None
    first: int = 0


@dataclass(frozen=True)
class RankedStore:
    """The passages of a store that the first stage keeps.

    Attributes:
        passages: the best passages for the claim, best first; ties in the order of the store.
        scores: their BM25 scores.
        report: what reading found.
        seconds: wall time of reading, cutting and ranking.
        book: where else questions are searched for; None where nothing but these passages is known.
    """

    passages: tuple[Passage, ...]
    scores: tuple[float, ...]
    report: ReadingReport
    seconds: float
    book: OpenBook | None = None


def rank(
    source: Path | Iterable[Page],
    claim: str,
    settings: RetrievalSettings,
    day: date | None = None,
    *,
    flaws: Flaws | None = None,
    name: str = "pages",
    seconds: float = inf,
) -> RankedStore:
    """Keep the ``settings.bm25_top_k`` passages that BM25 ranks highest for the claim.

    Args:
        source: a store in the official format, an archive, or any pages, each with a number of its own. Of an
            archive, the pages that its words find for the claim are ranked. A missing, empty or broken store yields
            few passages or none, and the report says so; where ``settings.search`` names a searcher, a store may be
            missing.
        claim: the query.
        day: when the claim was made, where known; see ``filters.admitted``.
        flaws: of pages, what reading them finds wrong, complete once they are exhausted.
        name: of pages, the name of the collection in the report.
        seconds: from now, in which a search has to end.

    Raises:
        SearchError: the search failed, and there are no other pages.
    """
    until = monotonic() + seconds
    if not isinstance(source, Path):
        return _rank(source, claim, settings, day, Flaws() if flaws is None else flaws, name, until)
    if is_archive(source):
        return _rank_archive(source, claim, settings, day, until)
    return _rank_store(source, claim, settings, day, until)


def warm_up(settings: RetrievalSettings) -> None:
    """Load the compiled code and the tables of characters, so that the first store need not wait for them.

    Takes half a second in a process, and six where no compiled code is cached yet.
    """
    if on_the_web(settings.search):
        reading.warm_up()
    rank([Page(0, "", ("warm up",))], "warm up", settings.model_copy(update={"search": ""}))


def _rank_store(path: Path, claim: str, settings: RetrievalSettings, day: date | None, until: float) -> RankedStore:
    flaws = Flaws()
    pages = () if settings.search and not path.exists() else read_pages(path, flaws)
    return _rank(pages, claim, settings, day, flaws, path.name, until)


def _rank_archive(path: Path, claim: str, settings: RetrievalSettings, day: date | None, until: float) -> RankedStore:
    flaws = Flaws()
    pages = Archive.open(path, until).search(claim, None if settings.later_pages else day, ARCHIVE_PAGES, flaws)
    return replace(_rank(pages, claim, settings, day, flaws, path.name, until), book=OpenBook(path, claim, day))


def _rank(
    pages: Iterable[Page],
    claim: str,
    settings: RetrievalSettings,
    day: date | None,
    flaws: Flaws,
    name: str,
    until: float,
) -> RankedStore:
    began = perf_counter()
    if settings.search:
        pages = _with_searched(pages, claim, settings, day, flaws, until)
    candidates = Candidates(claim, settings)
    thread = ThreadPoolExecutor(1)  # counts while the next pages are read: compiled code needs no lock
    try:
        for _ in thread.map(candidates.add, batches(admitted(pages, claim, day, settings, flaws), settings)):
            pass
    finally:
        thread.shutdown(wait=False, cancel_futures=True)  # at a deadline, nobody waits for what is left
    flaws.update({Flaw.MIRROR: candidates.mirrors, Flaw.REPEATED_PASSAGE: candidates.repetitions})
    passages, scores = candidates.best(settings.bm25_top_k)
    found = {flaw: flaws[flaw] for flaw in Flaw if flaws[flaw]}
    report = ReadingReport(name, candidates.pages, candidates.passages, found)
    book = None
    if settings.search and not on_the_web(settings.search):
        book = OpenBook(Path(settings.search), claim, day, FOUND)
    return RankedStore(passages, scores, report, perf_counter() - began, book)


def _with_searched(
    pages: Iterable[Page], claim: str, settings: RetrievalSettings, day: date | None, flaws: Flaws, until: float
) -> Iterator[Page]:
    """The pages, then those that a search finds, numbered from ``FOUND``."""
    alone = True
    for page in pages:
        alone = False
        yield page
    try:
        for page in searched(claim, day, settings, flaws, max(0.0, until - monotonic())):
            yield replace(page, number=FOUND + page.number)
    except SearchError as error:
        if alone:
            raise
        flaws[Flaw.SEARCH_FAILED] += 1
        log.warning("%s", error)
