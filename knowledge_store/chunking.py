"""Cutting pages into passages: windows of a fixed length that overlap, so that what one cuts its neighbour keeps."""

from typing import NamedTuple

import numpy as np

from knowledge_store.compiled import compiled
from knowledge_store.utf8 import Bytes, Places


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
        overlap: characters shared by neighbours, less than ``size``.
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
