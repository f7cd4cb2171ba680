"""Search an archive for each question about a claim (the open-book setting of CARP, section 4)."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from knowledge_store.bm25.passages import Candidates, batches
from knowledge_store.dense.archive import FusedArchive
from knowledge_store.dense.encoder import Vectors
from knowledge_store.pages.filters import admitted, without_copies
from knowledge_store.pages.page import Flaw, Flaws, Passage
from knowledge_store.ranking import OpenBook
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import SEARCH_RESULTS, RetrievalSettings

Left = Callable[[], float]
"""Seconds, from when it is called, that a search may take."""

log = logging.getLogger(__name__)


class OpenBookSearch:
    """Searches the archive for questions. Threads may share it. ``flaws`` counts what was left out."""

    def __init__(self, book: OpenBook, settings: RetrievalSettings, dimension: int, left: Left) -> None:
        self.flaws, self.claim = Flaws(), book.claim
        self._book, self._settings, self._dimension, self._left = book, settings, dimension, left

    def passages(self, query: str, vector: Vectors) -> tuple[Passage, ...]:
        """The passages of the pages found for a query that BM25 ranks highest for it; none if the search fails."""
        book, settings = self._book, self._settings
        day = None if settings.later_pages else book.day
        try:
            pages = self._archive().find(query, vector, day, SEARCH_RESULTS)
        except SearchError as error:
            self._failed(error)
            return ()
        numbered = (replace(page, number=book.first + page.number) for page in pages)
        candidates = Candidates([query])
        for batch in batches(admitted(numbered, book.day, settings, self.flaws), settings):
            candidates.add(batch)
        best = candidates.best(query, settings.dense_candidates)
        passages, copies = without_copies(best, book.claim, settings)
        self.flaws.update({Flaw.CLAIM_COPY: copies} if copies else {})
        return passages

    def vectors(self, passages: Sequence[Passage]) -> dict[tuple[int, int], Vectors]:
        """The vectors that the archive has of passages, by their keys, so that they need not be embedded again."""
        first = self._book.first
        pages = sorted({passage.page - first for passage in passages if passage.page >= first})
        try:
            known = self._archive().vectors(pages)
        except SearchError as error:
            self._failed(error)
            return {}
        return {(first + page, start): vector for (page, start), vector in known.items()}

    def _archive(self) -> FusedArchive:
        archive = Archive.open(self._book.archive, monotonic() + self._left())
        return FusedArchive(archive, self._settings, self._dimension)

    def _failed(self, error: SearchError) -> None:
        self.flaws[Flaw.SEARCH_FAILED] += 1
        log.warning("%s", error)
