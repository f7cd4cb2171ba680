"""The first stage of retrieval: from pages to the passages that BM25 keeps for a claim (section 3.2.2).

Worker processes run this, so nothing here imports torch, and results can be pickled. Example:
``rank(Path("7.json"), "The bridge opened in 1932.", RetrievalSettings()).passages``.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic, perf_counter

from knowledge_store.bm25.passages import Candidates, batches
from knowledge_store.pages.filters import admitted
from knowledge_store.pages.page import FOUND, Flaw, Flaws, Page, Passage, ReadingReport, on_the_web
from knowledge_store.pages.store import read_pages
from knowledge_store.progress import progress_bar
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive, is_archive
from knowledge_store.searchers.searched import searched
from knowledge_store.settings import BM25_TOP_K, RetrievalSettings
from knowledge_store.turns import Turns

log = logging.getLogger(__name__)

ARCHIVE_PAGES = 100  # ranked for a claim whose store is an archive; each question adds ``SEARCH_RESULTS``


@dataclass(frozen=True)
class OpenBook:
    """The archive that each question about a claim searches too; its rows count from ``first`` among the pages."""

    archive: Path
    claim: str
    day: date | None
    first: int = 0


@dataclass(frozen=True)
class RankedStore:
    """The passages that the first stage keeps, best first, with the wall time; ``book``: where else to search."""

    passages: tuple[Passage, ...]
    report: ReadingReport
    seconds: float
    book: OpenBook | None = None
    file: Path | None = None  # the knowledge store, if it is one


class Library:
    """Pages that are read, cut and counted once, and ranked for each of several claims. Threads may share it.

    Args:
        pages: each with a number of its own; read to the end here. ``flaws`` counts what is wrong with them.
        claims: all that will be asked for.
        day: when the claims were made, if known; see ``filters.admitted``.
        seconds: that the search for a claim may take.
    """

    def __init__(
        self,
        pages: Iterable[Page],
        claims: Sequence[str],
        settings: RetrievalSettings,
        day: date | None = None,
        *,
        flaws: Flaws | None = None,
        name: str = "pages",
        progress: bool = False,
        seconds: float = inf,
    ) -> None:
        flaws = Flaws() if flaws is None else flaws
        self._settings, self._day, self._seconds = settings, day, seconds
        self._candidates = Candidates(claims, settings)
        self._lock = Lock()
        shown = progress_bar(pages, unit="page", desc="reading", disable=not progress, delay=1)
        for _ in Turns("counting").map(self._candidates.add, batches(admitted(shown, day, settings, flaws))):
            pass  # counts while the next pages are read: compiled code needs no lock
        flaws.update({Flaw.MIRROR: self._candidates.mirrors, Flaw.REPEATED_PASSAGE: self._candidates.repetitions})
        found = {flaw: flaws[flaw] for flaw in Flaw if flaws[flaw]}
        self.report = ReadingReport(name, self._candidates.pages, self._candidates.passages, found)

    def rank(self, claim: str) -> RankedStore:
        """The passages for one of the claims, after those of a search, if the settings name one; see ``rank``."""
        began = perf_counter()
        with self._lock:
            best = self._candidates.best(claim, BM25_TOP_K)
        ranked = RankedStore(best, self.report, perf_counter() - began)
        return self._with_searched(ranked, claim) if self._settings.search else ranked

    def _with_searched(self, ranked: RankedStore, claim: str) -> RankedStore:
        """Put the results of a search first, because scores of two collections cannot be compared."""
        flaws, settings, own = Flaws(), self._settings, ranked.report
        try:
            results = list(searched(claim, self._day, settings, flaws, self._seconds))
        except SearchError as error:
            if not own.pages:
                raise
            log.warning("%s", error)
            return replace(ranked, report=_with_flaws(own, Flaws({Flaw.SEARCH_FAILED: 1})))
        pages = (replace(page, number=FOUND + page.number) for page in results)
        found = Library(pages, [claim], settings.model_copy(update={"search": ""}), self._day, flaws=flaws).rank(claim)
        more = found.report
        both = replace(own, pages=own.pages + more.pages, passages=own.passages + more.passages)
        book = None if on_the_web(settings.search) else OpenBook(Path(settings.search), claim, self._day, FOUND)
        report = _with_flaws(both, Flaws(more.flaws))
        return RankedStore(found.passages + ranked.passages, report, found.seconds + ranked.seconds, book)


def _with_flaws(report: ReadingReport, more: Flaws) -> ReadingReport:
    return replace(report, flaws=dict(Flaws(report.flaws) + more))


def rank(
    source: Path | Iterable[Page],
    claim: str,
    settings: RetrievalSettings,
    day: date | None = None,
    *,
    flaws: Flaws | None = None,
    name: str = "pages",
    seconds: float = inf,
    claims: tuple[str, ...] = (),
) -> RankedStore:
    """Keep the ``BM25_TOP_K`` passages that BM25 ranks highest for the claim.

    Args:
        source: a store, an archive, of which the pages are ranked that the claim's words find, or any pages, each with
            a number of its own. The report says what is wrong with a store.
        claims: that share the store; this process then reads it once for all of them. See ``is_shared``.
        day, flaws, name, seconds: see ``Library``.

    Raises:
        SearchError: the search failed, and there are no other pages.
    """
    began = perf_counter()
    flaws, book = Flaws() if flaws is None else flaws, None
    if not isinstance(source, Path):
        library = Library(source, [claim], settings, day, flaws=flaws, name=name, seconds=seconds)
    elif claims:
        library = _library(source, claims, settings.model_dump_json(), day)
    else:
        pages: Iterable[Page]
        if is_archive(source):
            archive = Archive.open(source, monotonic() + seconds)
            pages = archive.search(claim, None if settings.later_pages else day, ARCHIVE_PAGES, flaws)
            book = OpenBook(source, claim, day)
        else:
            pages = () if settings.search and not source.exists() else read_pages(source, flaws)
        library = Library(pages, [claim], settings, day, flaws=flaws, name=source.name, seconds=seconds)
    ranked = library.rank(claim)
    file = source if isinstance(source, Path) and not book else None
    return replace(ranked, seconds=perf_counter() - began, book=book or ranked.book, file=file)


def is_shared(path: Path, settings: RetrievalSettings, days: Iterable[date | None]) -> bool:
    """Whether claims of those days can share a library of a store, and get what ``rank`` gives each."""
    same_pages = settings.later_pages or len({*days}) < 2
    return same_pages and not settings.search and path.is_file() and not is_archive(path)


@lru_cache(maxsize=1)
def _library(path: Path, claims: tuple[str, ...], settings: str, day: date | None) -> Library:
    flaws = Flaws()
    retrieval = RetrievalSettings.model_validate_json(settings)
    return Library(read_pages(path, flaws), claims, retrieval, day, flaws=flaws, name=path.name)


@cache
def warm_up() -> None:
    """Load compiled code and tables of characters: half a second, and six if no compiled code is cached yet."""
    rank([Page(0, "", ("warm up",))], "warm up", RetrievalSettings())
