"""Find the sources that a text cites: among files by name or address, beside the text, or on the web.

Sources(pages, fetch=True).find("https://city.example/bridge").pages
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import monotonic
from urllib.parse import unquote, urlsplit

from knowledge_store.isolation import LATE, LIMITS, Limits
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from system.documents import Document, pages_of

SHORTEST = 4  # fewest letters of a file's name by which the words of a reference can name it


@dataclass(frozen=True)
class Source:
    """A source: a name and its pages, or why there are none; ``unanswered`` if it is an address that gave nothing."""

    name: str
    pages: tuple[Page, ...] = ()
    reason: str = ""
    unanswered: bool = False


@dataclass
class Sources:
    """Finds the source of a citation; each is read once.

    Attributes:
        pages: of the documents, read when the first source is asked for.
        beside: folder of the text, in which relative links are looked up.
        fetch: whether addresses that no file answers are fetched.
        limits: of each source; none is read after their end.
    """

    pages: Iterable[Page] = ()
    beside: Path | None = None
    fetch: bool = False
    limits: Limits = LIMITS
    _found: dict[str, Source] = field(default_factory=dict)

    def find(self, target: str) -> Source:
        """Return the source for an address, or for the words of a reference."""
        if target not in self._found:
            self._found[target] = self._find(target)
        return self._found[target]

    def all(self) -> dict[str, tuple[Page, ...]]:
        """Return the pages of the documents, and of all sources that were found, by the names of the sources."""
        return self._documents | {one.name: one.pages for one in self._found.values() if one.pages}

    @cached_property
    def _documents(self) -> dict[str, tuple[Page, ...]]:
        found: dict[str, tuple[Page, ...]] = {}
        for page in self.pages:
            name = name_of(page.url)
            found[name] = (*found.get(name, ()), page)
        return found

    @cached_property
    def _keys(self) -> dict[str, set[str]]:
        """The names of the documents that an address or a file name may mean."""
        found: dict[str, set[str]] = {}
        for name in self._documents:
            for key in _keys(name):
                found.setdefault(key, set()).add(name)
        return found

    def _find(self, target: str) -> Source:
        address, path = target.startswith(("http://", "https://")), _is_path(target)
        if name := self._among(target) if address or path else self._mentioned(target):
            return Source(name, self._documents[name])
        if address:
            why = "no document has this address; --fetch reads it from the web"
            return self._read(target, target) if self.fetch else Source(target, reason=why)
        file = self.beside / unquote(target.partition("#")[0]) if self.beside and path else None
        if file and file.is_file():
            return self._read(str(file), target)
        return Source(target, reason=f"no document is named like {target!r:.80}; add it to --documents")

    def _read(self, source: str, name: str) -> Source:
        if not self.limits.left:
            return Source(name, reason=f"{LATE} before it was read")
        try:
            return Source(name, tuple(read_documents([source], Flaws(), fetch=self.fetch, limits=self.limits)))
        except DocumentsError as error:
            return Source(name, reason=str(error), unanswered="://" in source)

    def _among(self, target: str) -> str:
        """The one file or page that has this address, or whose name is made of it; empty if none or several have."""
        return next((next(iter(names)) for key in _keys(target) if len(names := self._keys.get(key, ())) == 1), "")

    def _mentioned(self, words: str) -> str:
        """The one file whose name stands in the words of a reference."""
        plain = _slug(words)
        stems = {name: _slug(Path(urlsplit(name).path).stem) for name in self._documents}
        found = [name for name, stem in stems.items() if len(stem) >= SHORTEST and stem in plain]
        return found[0] if len(found) == 1 else ""


def sources_of(
    documents: Sequence[Path | str | Document], beside: Path | None, *, fetch: bool, seconds: float
) -> Sources:
    """The sources among documents; reading all of them ends after so many seconds."""
    limits = replace(LIMITS, until=monotonic() + seconds)
    return Sources(pages_of(documents, Flaws(), limits, fetch=fetch), beside, fetch, limits)


def name_of(url: str) -> str:
    """The name of the document that a page belongs to: its address without the place in it."""
    return re.sub(r"#page=\d+$", "", url) if "://" in url else url.partition("#")[0]


def _is_path(target: str) -> bool:
    return not re.search(r"\s", target) and Path(target.partition("#")[0]).suffix.lower() in SUFFIXES


def _keys(target: str) -> list[str]:
    """By what an address and a file are matched, the most telling first.

    >>> _keys("https://www.a.example/reports/2019-01.html")
    ['a.example/reports/2019-01.html', 'a-example-reports-2019-01', '2019-01.html', '2019-01']
    """
    whole = page_key(target) if "://" in target else target.lower().removeprefix("./")
    path = Path(unquote(whole.partition("?")[0].partition("#")[0]))
    bare = str(path).removesuffix(path.suffix if path.suffix in SUFFIXES else "")
    return list(dict.fromkeys([whole, _slug(bare), path.name, Path(bare).name]))


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text.lower()).strip("-")
