"""The passages of a store: cut from its pages, and only positions in their text until it is known which are kept.

A passage is as many whole sentences as fit in a number of characters, and repeats the last sentences of the one before
it. The paper's 1,000 characters with 200 shared are such sizes. Example: ``passages_of(page, RetrievalSettings())``.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.scoring import QueryCounter, count, encode
from knowledge_store.pages.page import Page, Passage
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import NOTHING, Hashes, Places, Text, compiled, fingerprints

BATCH = 1_000_000  # characters that are cut and counted in one go

Numbers = NDArray[np.int32]
Source = tuple[int, str, bytes]
"""Number and address of a page, and its text as UTF-8, which takes less memory than a string."""


@compiled
def cut(text: Text, starts: Places, lengths: Places, counts: Places, size: int, overlap: int) -> Places:
    """Cut pages into windows of whole sentences, of at most ``size`` characters.

    A window begins with the sentences of the one before it that fit into ``overlap``. No window lies within another. A
    sentence that is longer than a window is cut where its text ends a sentence, else at a space.

    Args:
        starts: (pages,) where each begins in the text.
        lengths: characters of each sentence of all pages; a page has one more character between two sentences.
        counts: (pages,) how many sentences each has.
        overlap: characters shared by neighbors, less than ``size``.

    Returns (3, windows): place of the page in ``starts``, and where the window begins and ends in the text.
    """
    most = len(text) + 1  # a page may have millions of characters: 32 bits keep this small
    units, found = np.empty((2, most), dtype=np.int32), np.empty((3, most), dtype=np.int32)
    n = sentence = 0
    for page, place in enumerate(starts):
        m = 0
        for length in lengths[sentence : sentence + counts[page]]:
            m = _units(text, place, place + length, size, units, m)
            place += length + 1
        sentence += counts[page]
        n = _windows(page, units, m, size, overlap, found, n)
    return found[:, :n].astype(np.int64)


@compiled
def _units(text: Text, place: int, stop: int, size: int, units: Numbers, m: int) -> int:
    """Add a sentence to the units, or the parts of one that is too long; returns the number of units.

    ``units`` is (2, units): where each begins and ends.
    """
    whole, ended = stop - place <= size, False
    first, space = place, -1
    while place < stop:
        code = text[place]
        if not whole and (code == 32 or 9 <= code <= 13 or code == 0xA0 or code == 0x3000):
            if ended and not (place + 1 < len(text) and 97 <= text[place + 1] <= 122):  # no lower case follows
                m = _add(text, first, place, units, m)
                first = place
            space = place
        if not whole and place - first == size:  # the part is full
            m = _add(text, first, space if space > first else place, units, m)
            first = space + 1 if space > first else place
        closing = code in (34, 39, 41, 93, 0x2019, 0x201D, 0xBB)
        ended = code in (33, 46, 63, 0x2026, 0x0964, 0x06D4) or (ended and closing)
        place += 1
        if not whole and code in (0x3002, 0xFF01, 0xFF1F):  # after which no space stands
            m = _add(text, first, place, units, m)
            first = place
    return _add(text, first, place, units, m)


@compiled
def _add(text: Text, first: int, end: int, units: Numbers, m: int) -> int:
    """Add a unit without the whitespace around it; returns the number of units."""
    while first < end and (text[first] == 32 or 9 <= text[first] <= 13):
        first += 1
    while first < end and (text[end - 1] == 32 or 9 <= text[end - 1] <= 13):
        end -= 1
    if first < end:
        units[0, m], units[1, m] = first, end
        m += 1
    return m


@compiled
def _windows(page: int, units: Numbers, m: int, size: int, overlap: int, found: Numbers, n: int) -> int:
    """Join the units of a page to windows; returns the number of windows."""
    begins, ends = units
    i = 0
    while i < m:
        j = i
        while j + 1 < m and ends[j + 1] - begins[i] <= size:
            j += 1
        found[0, n], found[1, n], found[2, n] = page, begins[i], ends[j]
        n += 1
        i, last = j + 1, i
        if i < m:
            while i - 1 > last and ends[j] - begins[i - 1] <= overlap and ends[j + 1] - begins[i - 1] <= size:
                i -= 1
    return n


class Batch(NamedTuple):
    """Some pages as one text, and the windows cut from them, see ``cut``."""

    sources: list[Source]
    starts: Places  # of the pages in the text
    pages: Hashes  # fingerprints of the pages
    windows: Places
    passages: Hashes  # fingerprints of the windows
    text: Text


def batches(pages: Iterable[Page], settings: RetrievalSettings) -> Iterator[Batch]:
    """Gather pages until a batch is full, and cut them."""
    gathered: list[Page] = []
    room = BATCH
    for page in pages:
        gathered.append(page)
        room -= sum(map(len, page.sentences))
        if room < 0:
            yield _batch(gathered, settings)
            gathered, room = [], BATCH
    if gathered:
        yield _batch(gathered, settings)


def passages_of(page: Page, settings: RetrievalSettings) -> list[Passage]:
    """Cut one page as ``batches`` does."""
    text = page.text
    return [_passage(text, page.url, page.number, 0, window) for window in _batch([page], settings).windows.T]


def _batch(pages: Sequence[Page], settings: RetrievalSettings) -> Batch:
    texts = [page.text for page in pages]
    sources = [
        (page.number, page.url, one.encode("utf-8", "surrogatepass")) for page, one in zip(pages, texts, strict=True)
    ]
    text, starts, ends = encode(texts)
    lengths = np.array([len(sentence) for page in pages for sentence in page.sentences], dtype=np.int64)
    counts = np.array([len(page.sentences) for page in pages], dtype=np.int64)
    windows = cut(text, starts, lengths, counts, settings.chunk_size, settings.chunk_overlap)
    whole, parts = fingerprints(text, starts, ends), fingerprints(text, windows[1], windows[2])
    return Batch(sources, starts, whole, windows, parts, text)


def _passage(text: str, url: str, number: int, first: int, window: Places) -> Passage:
    start, end = (window[1:] - first).tolist()
    return Passage(text[start:end], url, number, start)


class Candidates:
    """The distinct passages of a store, ranked for each of some claims.

    Pages, and passages, are copies of one another if their fingerprints are equal; the first counts. ``mirrors`` and
    ``repetitions`` count the others.
    """

    def __init__(self, claims: Sequence[str]) -> None:
        self.pages = self.mirrors = self.passages = self.repetitions = 0
        self._counter = QueryCounter(claims)
        self._kept: list[tuple[list[Source], Places, Places]] = []  # pages, their starts, windows
        self._seen_pages: set[int] = set()  # fingerprints
        self._seen_passages: set[int] = set()

    def add(self, batch: Batch) -> None:
        """Count the words of the passages of more pages."""
        distinct = _first_seen(batch.pages, self._seen_pages)
        self.pages += int(distinct.sum())
        self.mirrors += int((~distinct).sum())
        eligible = distinct[batch.windows[0]] & (batch.passages != NOTHING)
        windows = batch.windows[:, eligible]
        distinct = _first_seen(batch.passages[eligible], self._seen_passages)
        self.passages += int(distinct.sum())
        self.repetitions += int((~distinct).sum())
        windows = windows[:, distinct]
        for part in np.array_split(windows, 1 + len(batch.text) // BATCH, axis=1):  # a page may have millions
            self._counter.add(count(batch.text, part[1], part[2]))
        self._kept.append((batch.sources, batch.starts, windows))

    def best(self, claim: str, limit: int) -> tuple[Passage, ...]:
        """The passages that BM25 ranks highest for one of the claims; ties in the store's order."""
        ranking = self._counter.rank(claim, limit)
        offsets = np.cumsum([0, *(windows.shape[1] for *_, windows in self._kept)])
        holders = np.searchsorted(offsets, ranking.positions, side="right") - 1
        text_of = lru_cache(8)(lambda data: data.decode("utf-8", "surrogatepass"))  # many may be of one large page
        found = []
        for holder, place in zip(holders, ranking.positions - offsets[holders], strict=True):
            sources, starts, windows = self._kept[holder]
            page = windows[0, place]
            number, url, data = sources[page]
            found.append(_passage(text_of(data), url, number, starts[page], windows[:, place]))
        return tuple(found)


def _first_seen(prints: Hashes, seen: set[int]) -> NDArray[np.bool_]:
    """Mark the fingerprints that occur for the first time, and add them to ``seen``."""
    first = np.zeros(len(prints), dtype=bool)
    for place, value in enumerate(prints.tolist()):
        first[place] = value not in seen
        seen.add(value)
    return first
