"""Reading a claim's knowledge store, page by page: the official JSON Lines format, with all its flaws.

A store is what scraping left behind, so a flaw is never an error: what can be read is read, the rest is counted by
name. Only the page in hand is in memory.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

import orjson

MAX_LINE = 64 * 2**20  # bytes; a longer line is passed over, so that memory stays bounded


class Flaw(StrEnum):
    """What can be wrong with a store; the value is the flaw's name in reports."""

    MISSING_FILE = "missing file"
    UNREADABLE_FILE = "unreadable file"
    EMPTY_FILE = "empty file"
    BYTE_ORDER_MARK = "byte order mark"
    BROKEN_LINE = "broken line"
    LINE_TOO_LONG = f"line over {MAX_LINE // 2**20} MiB"
    NOT_A_PAGE = "line without a page"
    REPAIRED_LINE = "line repaired"
    NO_ADDRESS = "page without address"
    EMPTY_PAGE = "empty page"
    PLAIN_TEXT = "page that is one string"
    NOT_TEXT = "item that is no text"
    REPEATED_SENTENCE = "sentence repeated"
    MIRROR = "page repeated at another address"
    REPEATED_PASSAGE = "passage repeated"
    FACT_CHECK = "page of a fact-checker left out"
    CLAIM_COPY = "page that repeats the claim left out"
    LATER_PAGE = "page dated after the claim left out"
    OTHER_LANGUAGE = "page in another language left out"


Flaws = Counter[Flaw]

UNREAD = (Flaw.MISSING_FILE, Flaw.UNREADABLE_FILE, Flaw.EMPTY_FILE)
"""Flaws of a store from which nothing at all was read."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a store.

    Attributes:
        number: line of the page in its file, counted from 0 (of a document: its place among the documents).
        url: address of the page.
        sentences: as scraping found them, without immediate repetitions.
    """

    number: int
    url: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentences, joined by single spaces; passages count their characters in it."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class ReadingReport:
    """What was found in one store.

    Attributes:
        name: name of the file or folder.
        pages: pages with a text of their own.
        passages: distinct passages cut from them.
        flaws: how often each flaw occurred; flaws that did not occur are absent.
    """

    name: str
    pages: int
    passages: int
    flaws: Mapping[Flaw, int]

    def __str__(self) -> str:
        """One line: ``7.json: 812 pages, 64,201 passages; empty page 103, broken line 2``."""
        return f"{self.name}: {self.pages:,} pages, {self.passages:,} passages{describe(self.flaws)}"


def describe(flaws: Mapping[Flaw, int]) -> str:
    """Flaws as the end of a line, empty where there are none.

    >>> describe({Flaw.EMPTY_PAGE: 103, Flaw.BROKEN_LINE: 2, Flaw.MIRROR: 0})
    '; empty page 103, broken line 2'
    """
    counted = ", ".join(f"{flaw} {count:,}" for flaw, count in flaws.items() if count)
    return f"; {counted}" if counted else ""


def read_pages(path: Path, flaws: Flaws) -> Iterator[Page]:
    """Yield the pages of a store that have a text and an address, in the order of the file.

    Args:
        path: the store; a missing or unreadable file is a flaw and yields nothing.
        flaws: counts what is wrong; complete when the iterator is exhausted.
    """
    try:
        with path.open("rb") as file:
            for number, line in _lines(file, flaws):
                page = _page(number, line, flaws)
                if page is not None:
                    yield page
    except FileNotFoundError:
        flaws[Flaw.MISSING_FILE] += 1
    except OSError:
        flaws[Flaw.UNREADABLE_FILE] += 1


def _lines(file: BinaryIO, flaws: Flaws) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers; at most ``MAX_LINE`` bytes are held."""
    number = -1
    for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b"")):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            flaws[Flaw.LINE_TOO_LONG] += 1
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
            continue
        if number == 0 and line.startswith(b"\xef\xbb\xbf"):
            flaws[Flaw.BYTE_ORDER_MARK] += 1
            line = line[3:]
        if line.strip():
            yield number, line
    if number < 0:
        flaws[Flaw.EMPTY_FILE] += 1


def _page(number: int, line: bytes, flaws: Flaws) -> Page | None:
    """Read one line; None, and a flaw counted, where it holds no page that can be used and cited."""
    record = _parse(line, flaws)
    if record is None:
        return None
    sentences = _sentences(record.get("url2text"), flaws)
    url = record.get("url")
    if not any(sentence.strip() for sentence in sentences):
        flaws[Flaw.EMPTY_PAGE] += 1
    elif not isinstance(url, str) or not url.strip():
        flaws[Flaw.NO_ADDRESS] += 1
    else:
        return Page(number, url, sentences)
    return None


def _parse(line: bytes, flaws: Flaws) -> dict[str, Any] | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = _repair(line, flaws)
        if record is None:
            flaws[Flaw.BROKEN_LINE] += 1
            return None
    if not isinstance(record, dict):
        flaws[Flaw.NOT_A_PAGE] += 1
        return None
    return record


def _repair(line: bytes, flaws: Flaws) -> Any | None:
    """Parse a line that only strict readers refuse: bytes that are not UTF-8, halves of surrogate pairs, NaN."""
    try:
        record = json.loads(line.decode("utf-8", errors="replace"))
        text = json.dumps(record, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    flaws[Flaw.REPAIRED_LINE] += 1
    return record


def _sentences(value: object, flaws: Flaws) -> tuple[str, ...]:
    """The strings of ``url2text``, less those that repeat the one just before them."""
    if isinstance(value, str):
        flaws[Flaw.PLAIN_TEXT] += 1
        return (value,)
    items = value if isinstance(value, list) else []
    texts = [item for item in items if isinstance(item, str)]
    distinct = tuple(text for text, _ in groupby(texts))
    flaws.update({Flaw.NOT_TEXT: len(items) - len(texts), Flaw.REPEATED_SENTENCE: len(texts) - len(distinct)})
    return distinct
