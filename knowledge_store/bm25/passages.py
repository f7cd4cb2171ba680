"""The passages of a store: cut from its pages, and only positions in their text until it is known which are kept.

Passages are windows of a fixed length that overlap, so that what one cuts its neighbor keeps.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.fingerprints import fingerprints, prefixes
from knowledge_store.bm25.scoring import QueryCounter, Ranking, encode
from knowledge_store.pages.page import Page, Passage
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import NOTHING, Bytes, Hashes, Places, case_folds, compiled, spaces

BATCH = 1_000_000  # characters that are cut and counted in one go


class Windows(NamedTuple):
    """Windows of pages; each (n,) int64.

    Attributes:
        pages: number of the page in its batch.
        chars: where the window starts in the page's text, in characters.
        starts: its first byte in the batch.
        ends: its last byte, and one.
    """

    pages: Places
    chars: Places
    starts: Places
    ends: Places


@compiled
def cut(text: Bytes, pages: Places, size: int, overlap: int) -> Windows:
    """Cut pages into windows of ``size`` characters that start every ``size - overlap`` characters.

    The last window of a page is the first that reaches its end, and may be shorter; no window lies within another.

    Args:
        text: the pages, one after the other.
        pages: (pages,) where each ends.
        size: in characters.
        overlap: characters shared by neighbors, less than ``size``.
    """
    step = size - overlap
    most = len(text) // step + len(pages)
    found = np.empty((4, most), dtype=np.int64)
    n = begin = 0
    for page, end in enumerate(pages):
        char, opened, closed = 0, n, n
        for place in range(begin, end):
            if text[place] & 0xC0 == 0x80:  # within a character
                continue
            if char == (closed - n) * step + size:
                found[3, closed] = place
                closed += 1
            if char == (opened - n) * step:
                found[0, opened], found[1, opened], found[2, opened] = page, char, place
                opened += 1
            char += 1
        count = -(-max(char - overlap, min(char, 1)) // step)  # windows that start later lie within the last of these
        found[3, closed : n + count] = end
        n, begin = n + count, end
    return Windows(found[0, :n], found[1, :n], found[2, :n], found[3, :n])


@dataclass(frozen=True)
class Batch:
    """Some pages of a store, cut.

    Attributes:
        text: the pages' texts, one after the other.
        sources: (pages,) number and address of each.
        pages: (pages,) their fingerprints.
        windows: the passages cut from them.
        passages: (passages,) their fingerprints.
    """

    text: Bytes
    sources: tuple[tuple[int, str], ...]
    pages: Hashes
    windows: Windows
    passages: Hashes


def batches(pages: Iterable[Page], settings: RetrievalSettings) -> Iterator[Batch]:
    """Gather pages until a batch is full, and cut them."""
    sources: list[tuple[int, str]] = []
    texts: list[str] = []
    room = BATCH
    for page in pages:
        sources.append((page.number, page.url))
        texts.append(page.text)
        room -= len(texts[-1])
        if room < 0:
            yield _batch(sources, texts, settings)
            sources, texts, room = [], [], BATCH
    if sources:
        yield _batch(sources, texts, settings)


def _batch(sources: list[tuple[int, str]], texts: list[str], settings: RetrievalSettings) -> Batch:
    text, starts, ends = encode(texts)
    windows = cut(text, ends, settings.chunk_size, settings.chunk_overlap)
    places = np.unique(np.concatenate([starts, ends, windows.starts, windows.ends]))
    until, since = prefixes(text, places, spaces(), case_folds())
    pages, passages = (
        fingerprints(*spans, until, since, places) for spans in ((starts, ends), (windows.starts, windows.ends))
    )
    return Batch(text, tuple(sources), pages, windows, passages)


class Candidates:
    """The distinct passages of a store, ranked for a claim.

    Pages, and passages, are copies of one another if they differ in case and whitespace alone, as ``normalized`` has
    it; the first counts. Copies are known by their fingerprints.

    Attributes:
        pages: pages with a text of their own.
        mirrors: pages that repeat another.
        passages: passages with a text of their own.
        repetitions: passages, of pages with a text of their own, that repeat another.
    """

    def __init__(self, claim: str, settings: RetrievalSettings, counter: QueryCounter | None = None) -> None:
        self.pages = self.mirrors = self.passages = self.repetitions = 0
        self._counter = counter or QueryCounter(claim, settings.tokenization)
        self._kept: list[tuple[Batch, Windows]] = []
        self._texts: set[int] = set()  # fingerprints of pages
        self._cuts: set[int] = set()  # fingerprints of passages

    def add(self, batch: Batch) -> None:
        """Count the words of the passages of more pages."""
        distinct = _first_seen(batch.pages, self._texts)
        self.pages += int(distinct.sum())
        self.mirrors += int((~distinct).sum())
        eligible = distinct[batch.windows.pages] & (batch.passages != NOTHING)
        windows, prints = _select(batch.windows, eligible), batch.passages[eligible]
        distinct = _first_seen(prints, self._cuts)
        self.passages += int(distinct.sum())
        self.repetitions += int((~distinct).sum())
        windows = _select(windows, distinct)
        self._counter.add(batch.text, windows.starts, windows.ends)
        self._kept.append((batch, windows))

    def best(self, limit: int) -> tuple[tuple[Passage, ...], tuple[float, ...]]:
        """The passages that BM25 ranks highest for the claim, and their scores; ties in the order of the store."""
        return self.taken(self._counter.rank(limit))

    def taken(self, ranking: Ranking) -> tuple[tuple[Passage, ...], tuple[float, ...]]:
        """The passages at the places of a ranking, and their scores."""
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


def _first_seen(prints: Hashes, seen: set[int]) -> NDArray[np.bool_]:
    """Mark the fingerprints that occur for the first time, and add them to ``seen``."""
    first = np.empty(len(prints), dtype=bool)
    for place, value in enumerate(prints.tolist()):
        first[place] = value not in seen
        seen.add(value)
    return first


def _select(windows: Windows, chosen: NDArray[np.bool_]) -> Windows:
    return Windows(*(column[chosen] for column in windows))
