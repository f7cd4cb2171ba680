"""The passages of a store: cut from its pages, and only positions in their text until it is known which are kept.

A passage is as many whole sentences as fit in a number of characters, and repeats the last sentences of the one before
it. The paper's 1,000 characters with 200 shared are such sizes. Example: ``passages_of(page, RetrievalSettings())``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.scoring import QueryCounter, count, encode
from knowledge_store.pages.page import Page, Passage
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import NOTHING, Hashes, Places, fingerprints

BATCH = 1_000_000  # characters that are cut and counted in one go
HEAD = 250  # characters of a page within which the lines of its head end

Span = tuple[int, int]
"""Where a text starts and ends in that of its page."""

# The end of a sentence within a text; no space stands after those of Chinese and Japanese.
_END = re.compile(r"""[.!?\u2026\u0964\u06d4]["')\]\u2019\u201d\xbb]*(?=\s(?![a-z]))|[\u3002\uff01\uff1f]""")


def cut(sentences: Iterable[str], size: int, overlap: int) -> Iterator[Span]:
    """Yield the spans of windows of whole sentences, of at most ``size`` characters.

    A window begins with the sentences of the one before it that fit into ``overlap``. No window lies within another.
    """
    window: list[Span] = []
    for unit in _units(sentences, size):
        if window and unit[1] - window[0][0] > size:
            end = window[-1][1]
            yield window[0][0], end
            window = [one for one in window[1:] if end - one[0] <= overlap and unit[1] - one[0] <= size]
        window.append(unit)
    if window:
        yield window[0][0], window[-1][1]


def _units(sentences: Iterable[str], size: int) -> Iterator[Span]:
    """Yield the spans of sentences without the whitespace around them.

    One that is longer than a window is cut where its text ends a sentence, else at a space.
    """
    part = re.compile(rf"(?=\S).{{1,{size}}}(?<=\S)(?!\S)|\S{{1,{size}}}", re.DOTALL)
    place = 0
    for sentence in sentences:
        if len(sentence) <= size:
            start, end = len(sentence) - len(sentence.lstrip()), len(sentence.rstrip())
            if start < end:
                yield place + start, place + end
        else:
            start = 0
            for stop in (*(end.end() for end in _END.finditer(sentence)), len(sentence)):
                yield from ((place + one.start(), place + one.end()) for one in part.finditer(sentence, start, stop))
                start = stop
        place += len(sentence) + 1


def batches(pages: Iterable[Page]) -> Iterator[list[Page]]:
    """Gather pages until there are ``BATCH`` characters."""
    gathered: list[Page] = []
    room = BATCH
    for page in pages:
        gathered.append(page)
        room -= sum(map(len, page.sentences))
        if room < 0:
            yield gathered
            gathered, room = [], BATCH
    if gathered:
        yield gathered


def passages_of(page: Page, settings: RetrievalSettings) -> list[Passage]:
    """Cut one page."""
    text = page.text
    spans = cut(page.sentences, settings.chunk_size, settings.chunk_overlap)
    return [Passage(text[start:end], page.url, page.number, start) for start, end in spans]


class Candidates:
    """The distinct passages of a store, ranked for each of some claims.

    Pages, and passages, are copies of one another if their fingerprints are equal; the first counts. ``mirrors`` and
    ``repetitions`` count the others.
    """

    def __init__(self, claims: Sequence[str], settings: RetrievalSettings) -> None:
        self.pages = self.mirrors = self.passages = self.repetitions = 0
        self._size, self._overlap = settings.chunk_size, settings.chunk_overlap
        self._counter = QueryCounter(claims)
        self._pages: list[tuple[int, str, bytes]] = []  # number, address, and text, which takes less memory as UTF-8
        self._windows: list[Places] = [np.empty((3, 0), dtype=np.int64)]  # place in ``_pages``, its start and end
        self._seen_pages: set[int] = set()  # fingerprints
        self._seen_passages: set[int] = set()

    def add(self, pages: Sequence[Page]) -> None:
        """Cut more pages and count the words of their passages."""
        texts = [page.text for page in pages]
        text, starts, ends = encode(texts)
        distinct = _first_seen(fingerprints(text, starts, ends), self._seen_pages)
        self.pages += int(distinct.sum())
        self.mirrors += int((~distinct).sum())
        spans = [
            (place, start, end)
            for place in np.flatnonzero(distinct).tolist()
            for start, end in cut(pages[place].sentences, self._size, self._overlap)
        ]
        windows = np.array(spans, dtype=np.int64).reshape(-1, 3).T
        offsets = starts[windows[0]]
        prints = fingerprints(text, windows[1] + offsets, windows[2] + offsets)
        windows, prints = windows[:, prints != NOTHING], prints[prints != NOTHING]
        distinct = _first_seen(prints, self._seen_passages)
        self.passages += int(distinct.sum())
        self.repetitions += int((~distinct).sum())
        windows = windows[:, distinct]
        for part in np.array_split(windows, 1 + len(text) // BATCH, axis=1):  # a page may have millions
            offsets = starts[part[0]]
            self._counter.add(count(text, part[1] + offsets, part[2] + offsets))
        self._windows.append(windows + np.array([[len(self._pages)], [0], [0]]))
        self._pages += [
            (page.number, page.url, one.encode("utf-8", "surrogatepass"))
            for page, one in zip(pages, texts, strict=True)
        ]

    def best(self, claim: str, limit: int) -> tuple[Passage, ...]:
        """The passages that BM25 ranks highest for one of the claims; ties in the store's order."""
        positions = self._counter.rank(claim, limit).positions
        text_of = lru_cache(8)(lambda data: data.decode("utf-8", "surrogatepass"))  # many may be of one large page
        found = []
        for place, start, end in np.concatenate(self._windows, axis=1)[:, positions].T.tolist():
            number, url, data = self._pages[place]
            text = text_of(data)
            before, after = text[max(0, start - self._size) : start], text[end : end + self._size]
            head = text[:HEAD].rpartition("\n")[0]
            found.append(Passage(text[start:end], url, number, start, before, after, head))
        return tuple(found)


def _first_seen(prints: Hashes, seen: set[int]) -> NDArray[np.bool_]:
    """Mark the fingerprints that occur for the first time, and add them to ``seen``."""
    first = np.zeros(len(prints), dtype=bool)
    for place, value in enumerate(prints.tolist()):
        first[place] = value not in seen
        seen.add(value)
    return first
