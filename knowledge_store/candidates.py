"""The passages of a store, as places in its text until it is known which of them are kept."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25 import QueryCounter, encode
from knowledge_store.chunking import Windows, cut
from knowledge_store.passages import Passage
from knowledge_store.reading import Page
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import case_folds, spaces
from knowledge_store.utf8 import NOTHING, Bytes, Hashes, Places, fingerprints

BATCH = 1_000_000  # characters that are cut and counted in one go


@dataclass(frozen=True)
class Batch:
    """Some pages of a store.

    Attributes:
        text: the pages' texts, one after the other.
        starts: (pages,) where each begins.
        ends: (pages,) where each ends.
        sources: number and address of each.
    """

    text: Bytes
    starts: Places
    ends: Places
    sources: tuple[tuple[int, str], ...]


def batches(pages: Iterable[Page]) -> Iterator[Batch]:
    """Gather pages until a batch is full."""
    sources: list[tuple[int, str]] = []
    texts: list[str] = []
    room = BATCH
    for page in pages:
        sources.append((page.number, page.url))
        texts.append(page.text)
        room -= len(texts[-1])
        if room < 0:
            yield _batch(sources, texts)
            sources, texts, room = [], [], BATCH
    if sources:
        yield _batch(sources, texts)


def _batch(sources: list[tuple[int, str]], texts: list[str]) -> Batch:
    text, starts, ends = encode(texts)
    return Batch(text, starts, ends, tuple(sources))


class Candidates:
    """The distinct passages of a store, ranked for a claim.

    Pages, and passages, are copies of one another if they differ in case and white space alone, as ``normalized`` has
    it; the first counts. Copies are known by their fingerprints, see ``utf8``.

    Attributes:
        pages: pages with a text of their own.
        mirrors: pages that repeat another.
        passages: passages with a text of their own.
        repetitions: passages, of pages with a text of their own, that repeat another.
    """

    def __init__(self, claim: str, settings: RetrievalSettings) -> None:
        self.pages = self.mirrors = self.passages = self.repetitions = 0
        self._settings = settings
        self._counter = QueryCounter(claim, settings.tokenization)
        self._kept: list[tuple[Batch, Windows]] = []
        self._texts: set[int] = set()  # fingerprints of pages
        self._cuts: set[int] = set()  # fingerprints of passages

    def add(self, batch: Batch) -> None:
        """Cut more pages and count the words of their passages."""
        distinct = _first_seen(_fingerprints(batch.text, batch.starts, batch.ends), self._texts)
        self.pages += int(distinct.sum())
        self.mirrors += int((~distinct).sum())
        windows = cut(batch.text, batch.ends, self._settings.chunk_size, self._settings.chunk_overlap)
        windows = _select(windows, distinct[windows.pages])
        prints = _fingerprints(batch.text, windows.starts, windows.ends)
        windows, prints = _select(windows, prints != NOTHING), prints[prints != NOTHING]
        distinct = _first_seen(prints, self._cuts)
        self.passages += int(distinct.sum())
        self.repetitions += int((~distinct).sum())
        windows = _select(windows, distinct)
        self._counter.add(batch.text, windows.starts, windows.ends)
        self._kept.append((batch, windows))

    def best(self, limit: int) -> tuple[tuple[Passage, ...], tuple[float, ...]]:
        """The passages that BM25 ranks highest for the claim, and their scores; ties in the order of the store."""
        ranking = self._counter.rank(limit)
        offsets = np.cumsum([0, *(len(windows.pages) for _, windows in self._kept)])
        holders = np.searchsorted(offsets, ranking.positions, side="right") - 1
        places = ranking.positions - offsets[holders]
        found = (self._passage(int(holder), int(place)) for holder, place in zip(holders, places, strict=True))
        return tuple(found), tuple(ranking.scores.tolist())

    def _passage(self, holder: int, place: int) -> Passage:
        batch, windows = self._kept[holder]
        number, url = batch.sources[windows.pages[place]]
        text = batch.text[windows.starts[place] : windows.ends[place]].tobytes().decode("utf-8", "surrogatepass")
        return Passage(text, url, number, int(windows.chars[place]))


def _fingerprints(text: Bytes, starts: Places, ends: Places) -> Hashes:
    return fingerprints(text, starts, ends, spaces(), case_folds())


def _first_seen(prints: Hashes, seen: set[int]) -> NDArray[np.bool_]:
    """Which fingerprints occur here for the first time; ``seen`` learns them."""
    first = np.empty(len(prints), dtype=bool)
    for place, value in enumerate(prints.tolist()):
        first[place] = value not in seen
        seen.add(value)
    return first


def _select(windows: Windows, chosen: NDArray[np.bool_]) -> Windows:
    return Windows(*(column[chosen] for column in windows))
