"""The vocabulary of retrieval: a page, a passage cut from it, and the flaws that reading counts."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

MAX_LINE = 64 * 2**20  # bytes; a longer line of a store is skipped, so that memory stays bounded
FOUND = 1_000_000_000  # number of the first page that a search finds; no store has so many lines
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what Python makes of such bytes in a file's name
TITLE = 5  # words of a file's name, at most, that is read as a title
_WORDS = re.compile(r"[^\W_]+")
PLACE = re.compile(r"#(page|row)=(\d+(?:-\d+)?)$")
"""A page of a PDF or rows of a table, at the end of an address."""


class UnreadableFile(ValueError):
    """A file is not what its name says, damaged, encrypted, or too large; the message says which."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of a page: ``page_text[start : start + len(text)]``; pages are numbered from 0, as lines of a store.

    ``before`` and ``after`` are the page's text around it, ``head`` the lines with which the page begins, where it was
    retrieved; records are written without them.
    """

    text: str
    url: str
    page: int
    start: int
    before: Annotated[str, Field(exclude=True)] = field(default="", compare=False, repr=False)
    after: Annotated[str, Field(exclude=True)] = field(default="", compare=False, repr=False)
    head: Annotated[str, Field(exclude=True)] = field(default="", compare=False, repr=False)

    @property
    def key(self) -> tuple[int, int]:
        """Identity within one store."""
        return self.page, self.start

    @property
    def about(self) -> list[str]:
        """The name of a user's file as a title, and the lines of its head; nothing of a page of the web, or of rows."""
        lines = [] if on_the_web(self.url) or "#row=" in self.url else self.head.splitlines()
        return [line.strip() for line in (title_of(self.url), *lines) if line.strip()]

    @property
    def found(self) -> bool:
        """Whether a search found its page, which no store or document holds."""
        return self.page >= FOUND


class Flaw(StrEnum):
    """A fault of a store; the value is its name in reports."""

    MISSING_FILE = "missing file"
    UNREADABLE_FILE = "unreadable file"
    SEARCH_FAILED = "search failed"
    NOT_FETCHED = "page found by the search but not fetched"
    NOT_IN_TIME = "page found by the search but not read in time"
    OTHER_FORMAT = "file in another format skipped"
    NO_STORE = "file without a page of text"
    CUT_SHORT = "store that was not read to its end in time"
    BROKEN_LINE = "broken line"
    LINE_TOO_LONG = f"line over {MAX_LINE // 2**20} MiB"
    NOT_A_PAGE = "line without a page"
    REPAIRED_LINE = "line repaired"
    NO_ADDRESS = "page without address"
    EMPTY_PAGE = "empty page"
    NOT_TEXT = "item that is no text"
    REPEATED_SENTENCE = "sentence repeated"
    MIRROR = "page repeated at another address"
    REPEATED_PASSAGE = "passage repeated"
    FACT_CHECK = "page of a fact-checker skipped"
    LATER_PAGE = "page dated after the claim skipped"


Flaws = Counter[Flaw]

UNREAD = (Flaw.MISSING_FILE, Flaw.UNREADABLE_FILE, Flaw.NO_STORE)
"""Flaws of a store from which nothing at all was read."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a store; its number is that of its line, counted from 0, or its place among the documents.

    ``retrieved`` and ``sha256`` are the ISO time of fetching it from the web and the hash of what was fetched;
    ``canonical`` is the address that a saved page of HTML gives itself.
    """

    number: int
    url: str
    sentences: tuple[str, ...]
    published: date | None = None
    retrieved: str = ""
    sha256: str = ""
    canonical: str = ""

    @property
    def text(self) -> str:
        """The sentences, joined by single spaces; passages count their characters in it."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class ReadingReport:
    """Name of a store, its pages with a text of their own, distinct passages, and how often each flaw occurred."""

    name: str
    pages: int
    passages: int
    flaws: Mapping[Flaw, int]

    def __str__(self) -> str:
        """One line: ``7.json: 812 pages, 64,201 passages; empty page 103, broken line 2``."""
        return f"{self.name}: {counted(self.pages, 'page')}, {counted(self.passages, 'passage')}{describe(self.flaws)}"


def describe(flaws: Mapping[Flaw, int]) -> str:
    """Flaws as the end of a line, such as "; empty page 103, broken line 2", or empty."""
    counted = ", ".join(f"{flaw} {count:,}" for flaw, count in flaws.items() if count)
    return f"; {counted}" if counted else ""


def shown_path(path: Path | str) -> str:
    """A path as it can be written and printed: a byte of its name that is not UTF-8 becomes its number."""
    return _NOT_UTF8.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:x}", str(path))


def source_name(url: str) -> str:
    """The address or name of a source as people read it, with its page or rows in words.

    >>> source_name("minutes/may.csv#row=2-9")
    'minutes/may.csv, rows 2–9'
    """
    return PLACE.sub(_in_words, url)


def _in_words(place: re.Match[str]) -> str:
    return f", {place[1]}{'s' if '-' in place[2] else ''} {place[2].replace('-', '–')}"


def document(url: str) -> str:
    """The name of a page or file as a sentence would call it: of an address the site.

    >>> document("https://www.example.org/a/b?c=1"), document("minutes/may.pdf#page=3")
    ('example.org', 'minutes/may.pdf, page 3')
    """
    try:
        site = urlsplit(url).hostname if "://" in url else None
    except ValueError:  # brackets that enclose no IPv6 address
        site = None
    place = PLACE.search(url) if site else None
    return (site or source_name(url)).removeprefix("www.") + (_in_words(place) if place else "")


def title_of(source: str) -> str:
    """A file's name as a title; empty for a page of the web, a name without an ending, or one of more than five words.

    >>> title_of("notes/library_branches-2023.csv#row=2-9")
    'Library branches 2023:'
    """
    name = "" if on_the_web(source) else PLACE.sub("", source).rpartition("/")[2].rpartition(".")[0]
    words = _WORDS.findall(name)
    title = " ".join(words)
    return f"{title[0].upper()}{title[1:]}:" if 0 < len(words) <= TITLE else ""


def normalized(text: str) -> str:
    """The text without what copies of a page differ in: case and the kind of whitespace."""
    return " ".join(text.casefold().split())


def on_the_web(source: str) -> bool:
    """Whether a source is an address on the web, rather than a path."""
    return source.startswith(("http://", "https://"))


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 page", "2,000 pages"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
