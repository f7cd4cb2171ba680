"""Find the sources that a text cites: among documents by name or address, beside the text, or on the web.

Sources(["reports/"], None, fetch=True, seconds=60).find("https://city.example/bridge").pages
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from urllib.parse import unquote

from knowledge_store.isolation import LATE, LIMITS
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import PLACE, Flaws, Page
from system.documents import Document, pages_of

SHORTEST = 4  # fewest letters of a file's name by which the words of a reference can name it


class Source(NamedTuple):
    """A source: a name and its pages, or why there are none; ``unanswered`` if it is an address that gave nothing."""

    name: str
    pages: tuple[Page, ...] = ()
    reason: str = ""
    unanswered: bool = False


class Sources:
    """The documents by their names, and the way to all else that a text cites.

    Args:
        beside: folder of the text, in which relative links are looked up.
        fetch: whether addresses that no document has are fetched.
        seconds: that reading documents and sources may take.

    Raises:
        DocumentsError: the documents cannot be read.
    """

    def __init__(
        self, documents: Sequence[Path | str | Document], beside: Path | None, *, fetch: bool, seconds: float
    ) -> None:
        self._beside, self._fetch = beside, fetch
        self._limits = replace(LIMITS, until=monotonic() + seconds)
        self.documents: dict[str, tuple[Page, ...]] = {}
        for page in pages_of(documents, Flaws(), self._limits, fetch=fetch):
            name = PLACE.sub("", page.url)
            self.documents[name] = (*self.documents.get(name, ()), page)

    def find(self, target: str) -> Source:
        """Return the source for an address, or for the words of a reference."""
        if name := self._named(target):
            return Source(name, self.documents[name])
        if target.startswith(("http://", "https://")):
            why = "no document has this address; --fetch reads it from the web"
            return self._read(target, target) if self._fetch else Source(target, reason=why)
        file = self._beside / unquote(target.partition("#")[0]) if self._beside and " " not in target else None
        if file and file.suffix.lower() in SUFFIXES and file.is_file():
            return self._read(str(file), target)
        return Source(target, reason=f"no document is named like {target!r:.80}; add it to --documents")

    def _named(self, target: str) -> str:
        """The one document that has this address, or whose name is made of it or stands in the words of a reference."""
        key = page_key(target)
        path = unquote(key.partition("?")[0])
        made, words = {_slug(path), _slug(Path(path).name)}, _slug(path) if " " in target else ""
        stems = {name: _slug(Path(name).name) for name in self.documents}
        same = [name for name in self.documents if page_key(name) == key]
        alike = [name for name, stem in stems.items() if stem in made or (len(stem) >= SHORTEST and stem in words)]
        return next((names[0] for names in (same, alike) if len(names) == 1), "")

    def _read(self, source: str, name: str) -> Source:
        if not self._limits.left:
            return Source(name, reason=f"{LATE} before it was read")
        try:
            return Source(name, tuple(read_documents([source], Flaws(), fetch=self._fetch, limits=self._limits)))
        except DocumentsError as error:
            return Source(name, reason=str(error), unanswered="://" in source)


def _slug(name: str) -> str:
    """A name without the ending of a document, in letters and figures.

    >>> _slug("a.example/reports/2019_01.html")
    'a-example-reports-2019-01'
    """
    suffix = Path(name).suffix
    bare = name.removesuffix(suffix) if suffix.lower() in SUFFIXES else name
    return re.sub(r"[\W_]+", "-", bare.lower()).strip("-")
