"""Pages that many claims share: read, cut and counted once, then ranked for each claim."""

import logging
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from functools import lru_cache
from math import inf
from pathlib import Path
from threading import Lock
from time import perf_counter

from knowledge_store.bm25.passages import Candidates, batches
from knowledge_store.bm25.shared import SharedCounter
from knowledge_store.normalization import skeleton
from knowledge_store.pages.filters import admitted, repeats
from knowledge_store.pages.page import Flaw, Flaws, Page, ReadingReport
from knowledge_store.pages.store import read_pages
from knowledge_store.progress import progress_bar
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import is_archive
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import tokenize

log = logging.getLogger(__name__)


class Library:
    """A collection of pages for several claims. Threads may share it.

    Each claim gets what ``rank`` would give it, but for one filter: without ``claim_copies``, a page is left out where
    one of its passages repeats the claim.

    Args:
        pages: each with a number of its own; read to the end here.
        claims: all that will be asked for.
        day: when they were made, where known.
        flaws: what reading the pages finds wrong, complete once they are exhausted.
        name: of the collection, in reports.
        progress: show on standard error how many pages are read.
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
        self._counter = SharedCounter(list(claims))
        self._candidates = Candidates("", settings, self._counter)
        self._lock = Lock()
        shown = progress_bar(pages, unit="page", desc="reading", disable=not progress, delay=1)
        kept = admitted(shown, "", day, settings.model_copy(update={"claim_copies": True}), flaws)
        with ThreadPoolExecutor(1) as thread:  # counts while the next pages are read: compiled code needs no lock
            for _ in thread.map(self._candidates.add, batches(kept, settings)):
                pass
        flaws.update({Flaw.MIRROR: self._candidates.mirrors, Flaw.REPEATED_PASSAGE: self._candidates.repetitions})
        found = {flaw: flaws[flaw] for flaw in Flaw if flaws[flaw]}
        self.report = ReadingReport(name, self._candidates.pages, self._candidates.passages, found)

    def rank(self, claim: str) -> RankedStore:
        """The passages for one of the claims; with those of a search where the settings name one.

        Raises:
            KeyError: the claim was not announced.
            SearchError: the search failed, and there are no other pages.
        """
        began = perf_counter()
        with self._lock:
            ranking = self._counter.rank_for(claim, self._settings.bm25_top_k)
            passages, scores = self._candidates.taken(ranking)
        if not self._settings.claim_copies:
            copies = {one.page for one in passages if repeats(one.text, tokenize(skeleton(claim)))}
            kept = [place for place, one in enumerate(passages) if one.page not in copies]
            passages, scores = tuple(passages[i] for i in kept), tuple(scores[i] for i in kept)
        ranked = RankedStore(passages, scores, self.report, perf_counter() - began)
        return self._with_searched(ranked, claim) if self._settings.search else ranked

    def _with_searched(self, ranked: RankedStore, claim: str) -> RankedStore:
        """Put the results of a search first; scores of two collections cannot be compared."""
        try:
            found = rank((), claim, self._settings, self._day, name=self._settings.search, seconds=self._seconds)
        except SearchError as error:
            if not ranked.report.pages:
                raise
            log.warning("%s", error)
            flaws = {**ranked.report.flaws, Flaw.SEARCH_FAILED: 1}
            return replace(ranked, report=replace(ranked.report, flaws=flaws))
        passages = found.passages + ranked.passages
        report = replace(found.report, pages=found.report.pages + ranked.report.pages)
        return RankedStore(
            passages, found.scores + ranked.scores, report if found.report.pages else ranked.report,
            found.seconds + ranked.seconds, found.book,
        )  # fmt: skip


def is_shared(path: Path, settings: RetrievalSettings, days: Iterable[date | None]) -> bool:
    """Whether claims of those days can share a library of a store and get just what ``rank`` gives each.

    They cannot where settings leave out other pages for each claim, or search for more; an archive is never read whole.
    """
    alike = settings.claim_copies and not settings.search and (settings.later_pages or len({*days}) < 2)
    return alike and path.is_file() and not is_archive(path)


def rank_shared(
    path: Path, claim: str, settings: RetrievalSettings, day: date | None, claims: tuple[str, ...]
) -> RankedStore:
    """A store ranked for one of the claims that share it, as by ``rank``; this process reads the store once.

    Args:
        day: when all of them were made.

    Returns:
        The first has the seconds of reading as well.
    """
    began = perf_counter()
    ranked = _library(path, claims, settings.model_dump_json(), day).rank(claim)
    return replace(ranked, seconds=perf_counter() - began)


@lru_cache(maxsize=1)
def _library(path: Path, claims: tuple[str, ...], settings: str, day: date | None) -> Library:
    flaws = Flaws()
    pages = read_pages(path, flaws)
    return Library(pages, claims, RetrievalSettings.model_validate_json(settings), day, flaws=flaws, name=path.name)
