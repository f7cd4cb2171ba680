"""The pages that annotators found their answers on, in a knowledge store, by their addresses."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from knowledge_store.bm25.passages import cut
from knowledge_store.pages.filters import ARCHIVED
from knowledge_store.pages.page import Flaws, Page, Passage
from knowledge_store.pages.store import read_pages
from knowledge_store.settings import RetrievalSettings

_SCHEME = re.compile(r"^[a-z]+://(?:www\.)?", re.IGNORECASE)


def same_address(url: str) -> str:
    """An address without what copies of a page differ in: archive, scheme, "www.", case, fragment, closing slash.

    >>> same_address("https://web.archive.org/web/20210118/http://www.Example.org/News/#top")
    'example.org/news'
    """
    page = _SCHEME.sub("", ARCHIVED.sub("", url.strip()))
    return page.partition("#")[0].rstrip("/").lower()


def find_pages(store: Path, urls: Iterable[str], flaws: Flaws) -> dict[str, Page]:
    """The pages of a store that have one of these addresses, by ``same_address``; of several, the longest.

    Args:
        store: a claim's file; a missing or broken one yields what it can, and ``flaws`` counts the rest.
    """
    wanted = {same_address(url) for url in urls if url}
    found: dict[str, Page] = {}
    for page in read_pages(store, flaws) if wanted else ():
        address = same_address(page.url)
        if address in wanted and (address not in found or len(page.text) > len(found[address].text)):
            found[address] = page
    return found


def passages_of(page: Page, settings: RetrievalSettings) -> list[Passage]:
    """A page cut as retrieval cuts it."""
    text = page.text
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    windows = cut(data, np.array([len(data)]), settings.chunk_size, settings.chunk_overlap)
    return [
        Passage(text[start : start + settings.chunk_size], page.url, page.number, start)
        for start in windows.chars.tolist()
    ]
