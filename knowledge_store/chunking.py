"""Cutting pages into passages: windows of a fixed length that overlap, so that what one cuts its neighbour keeps."""

from collections.abc import Iterator

from knowledge_store.passages import Passage
from knowledge_store.reading import Page


def chunk(page: Page, size: int, overlap: int) -> Iterator[Passage]:
    """Yield the passages of a page, in order.

    Windows start every ``size - overlap`` characters, until one reaches the end of the page: the last may be
    shorter, and no window lies within another. Windows of white space alone are left out.

    Args:
        page: the page.
        size: length of a window, in characters.
        overlap: characters shared by neighbouring windows; less than ``size``.
    """
    text = page.text
    for start in range(0, max(len(text) - overlap, 1), size - overlap):
        window = text[start : start + size]
        if not window.isspace():
            yield Passage(window, page.url, page.number, start)
