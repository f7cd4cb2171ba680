"""The passages of a store: cut from its pages, and only positions in their text until it is known which are kept.

A passage is as many whole sentences as fit in a number of characters, and repeats the last sentences of the one before
it. The paper's 1,000 characters with 200 shared are such sizes. Example: ``passages_of(page, RetrievalSettings())``.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.scoring import QueryCounter, count, encode
from knowledge_store.pages.page import Page, Passage
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import NOTHING, Bytes, Hashes, Places, compiled, decode, fingerprints

BATCH = 1_000_000  # characters that are cut and counted in one go


@compiled
def cut(text: Bytes, pages: Places, lengths: Places, counts: Places, size: int, overlap: int) -> Places:
    """Cut pages into windows of whole sentences, of at most ``size`` characters.

    A window begins with the sentences of the one before it that fit into ``overlap``. No window lies within another. A
    sentence that is longer than a window is cut where its text ends a sentence, else at a space.

    Args:
        pages: (pages,) where each ends in the text.
        lengths: characters of each sentence of all pages; a page has one more character between two sentences.
        counts: (pages,) how many sentences each has.
        overlap: characters shared by neighbors, less than ``size``.

    Returns (4, windows): place of the page in ``pages``, first character in the page, first and last byte in the text.
    """
    most = len(text) // min(size, 2) + len(lengths) + 1
    units, found = np.empty((4, most), dtype=np.int64), np.empty((4, most), dtype=np.int64)
    n = begin = sentence = 0
    for page, end in enumerate(pages):
        m, place, char = 0, begin, 0
        for _ in range(counts[page]):
            m, place, char = _units(text, place, char, char + lengths[sentence], size, units, m)
            place, char, sentence = min(place + 1, end), char + 1, sentence + 1
        n = _windows(page, units, m, size, overlap, found, n)
        begin = end
    return found[:, :n].copy()


@compiled
def _units(text: Bytes, place: int, char: int, stop: int, size: int, units: Places, m: int) -> tuple[int, int, int]:
    """Add a sentence to the units, or the parts of one that is too long; returns their number and where it ends.

    ``units`` is (4, units): first byte and character of each, and where it ends.
    """
    whole, ended = stop - char <= size, False
    first, first_char, space, space_char, behind = place, char, -1, -1, -1
    while char < stop:
        code, after = decode(text, place)
        blank = code == 32 or 9 <= code <= 13 or code == 0xA0 or code == 0x3000
        if not whole and blank:
            if ended and not (after < len(text) and 97 <= text[after] <= 122):  # no lower case follows
                m = _add(text, first, first_char, place, char, units, m)
                first, first_char = place, char
            space, space_char, behind = place, char, after
        if not whole and char - first_char == size:  # the part is full
            if space > first:
                m = _add(text, first, first_char, space, space_char, units, m)
                first, first_char = behind, space_char + 1
            else:
                m = _add(text, first, first_char, place, char, units, m)
                first, first_char = place, char
        closing = code in (34, 39, 41, 93, 0x2019, 0x201D, 0xBB)
        ended = code in (33, 46, 63, 0x2026, 0x0964, 0x06D4) or (ended and closing)
        if not whole and code in (0x3002, 0xFF01, 0xFF1F):  # after which no space stands
            m = _add(text, first, first_char, after, char + 1, units, m)
            first, first_char = after, char + 1
        place, char = after, char + 1
    return _add(text, first, first_char, place, char, units, m), place, char


@compiled
def _add(text: Bytes, first: int, first_char: int, place: int, char: int, units: Places, m: int) -> int:
    """Add a unit without the whitespace around it; returns the number of units."""
    while first < place and (text[first] == 32 or 9 <= text[first] <= 13):
        first, first_char = first + 1, first_char + 1
    while first < place and (text[place - 1] == 32 or 9 <= text[place - 1] <= 13):
        place, char = place - 1, char - 1
    if first < place:
        units[0, m], units[1, m], units[2, m], units[3, m] = first, first_char, place, char
        m += 1
    return m


@compiled
def _windows(page: int, units: Places, m: int, size: int, overlap: int, found: Places, n: int) -> int:
    """Join the units of a page to windows; returns the number of windows."""
    i = 0
    while i < m:
        j = i
        while j + 1 < m and units[3, j + 1] - units[1, i] <= size:
            j += 1
        found[0, n], found[1, n], found[2, n], found[3, n] = page, units[1, i], units[0, i], units[2, j]
        n += 1
        i, last = j + 1, i
        if i < m:
            while (
                i - 1 > last and units[3, j] - units[1, i - 1] <= overlap and units[3, j + 1] - units[1, i - 1] <= size
            ):
                i -= 1
    return n


class Batch(NamedTuple):
    """Some pages as one text, and the windows cut from them, see ``cut``."""

    text: Bytes
    sources: list[tuple[int, str]]  # number and address of each page
    pages: Hashes  # fingerprints of the pages
    windows: Places
    passages: Hashes  # fingerprints of the windows


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
    batch = _batch([page], settings)
    return [_passage(batch, window) for window in batch.windows.T]


def _batch(pages: Sequence[Page], settings: RetrievalSettings) -> Batch:
    text, starts, ends = encode([page.text for page in pages])
    lengths = np.array([len(sentence) for page in pages for sentence in page.sentences], dtype=np.int64)
    counts = np.array([len(page.sentences) for page in pages], dtype=np.int64)
    windows = cut(text, ends, lengths, counts, settings.chunk_size, settings.chunk_overlap)
    whole, parts = fingerprints(text, starts, ends), fingerprints(text, windows[2], windows[3])
    return Batch(text, [(page.number, page.url) for page in pages], whole, windows, parts)


def _passage(batch: Batch, window: Places) -> Passage:
    page, char, start, end = window.tolist()
    number, url = batch.sources[page]
    return Passage(batch.text[start:end].tobytes().decode("utf-8", "surrogatepass"), url, number, char)


class Candidates:
    """The distinct passages of a store, ranked for each of some claims.

    Pages, and passages, are copies of one another if their fingerprints are equal; the first counts. ``mirrors`` and
    ``repetitions`` count the others.
    """

    def __init__(self, claims: Sequence[str]) -> None:
        self.pages = self.mirrors = self.passages = self.repetitions = 0
        self._counter = QueryCounter(claims)
        self._kept: list[tuple[Batch, Places]] = []  # with the windows that are kept
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
        self._counter.add(count(batch.text, windows[2], windows[3]))
        self._kept.append((batch, windows))

    def best(self, claim: str, limit: int) -> tuple[Passage, ...]:
        """The passages that BM25 ranks highest for one of the claims; ties in the store's order."""
        ranking = self._counter.rank(claim, limit)
        offsets = np.cumsum([0, *(windows.shape[1] for _, windows in self._kept)])
        holders = np.searchsorted(offsets, ranking.positions, side="right") - 1
        found = []
        for holder, place in zip(holders, ranking.positions - offsets[holders], strict=True):
            batch, windows = self._kept[holder]
            found.append(_passage(batch, windows[:, place]))
        return tuple(found)


def _first_seen(prints: Hashes, seen: set[int]) -> NDArray[np.bool_]:
    """Mark the fingerprints that occur for the first time, and add them to ``seen``."""
    first = np.zeros(len(prints), dtype=bool)
    for place, value in enumerate(prints.tolist()):
        first[place] = value not in seen
        seen.add(value)
    return first
