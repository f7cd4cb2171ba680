"""Read and write a knowledge store in the official JSON Lines format, a page a line.

Scraped stores have many flaws. A flaw is no error: it is counted by name, and the rest is read. Only one page is in
memory. Example: ``list(read_pages(Path("7.json"), Flaws()))``.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from itertools import groupby
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

import orjson

from knowledge_store.pages.page import MAX_LINE, Flaw, Flaws, Page, shown_path
from knowledge_store.pages.sentences import set_apart

WORD = re.compile(r"[^\W_]")  # at least its first letter or digit


def read_pages(path: Path, flaws: Flaws, until: float = inf) -> Iterator[Page]:
    """Yield the pages of a store that have a text and an address, in the order of the file.

    Flaws are counted, also that of a missing or unreadable file, or of one without a page. No line is read after
    ``until``, on the clock of ``monotonic()``.
    """
    empty = True
    try:
        with path.open("rb") as file:
            for number, line in _lines(file, flaws):
                if monotonic() >= until:
                    flaws[Flaw.CUT_SHORT] += 1
                    break
                if page := _page(number, line, flaws):
                    empty = False
                    yield page
        if empty:
            flaws[Flaw.NO_STORE] += 1
    except FileNotFoundError:
        flaws[Flaw.MISSING_FILE] += 1
    except OSError:
        flaws[Flaw.UNREADABLE_FILE] += 1


def _lines(file: BinaryIO, flaws: Flaws) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers; at most ``MAX_LINE`` bytes are held."""
    for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b"")):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            flaws[Flaw.LINE_TOO_LONG] += 1
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
            continue
        if line.strip():
            yield number, line


def _page(number: int, line: bytes, flaws: Flaws) -> Page | None:
    """Read one line; None, and a flaw counted, if it holds no page that can be cited."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            record = repaired(line)
        except ValueError:
            flaws[Flaw.BROKEN_LINE] += 1
            return None
        flaws[Flaw.REPAIRED_LINE] += 1
    if not isinstance(record, dict):
        flaws[Flaw.NOT_A_PAGE] += 1
        return None
    text, url = record.get("text"), record.get("url")  # a text of one piece, as in dumps of other sites
    sentences = _sentences(text if isinstance(text, str) else record.get("url2text"), flaws)
    if not any(map(WORD.search, sentences)):  # blanks, characters without width, punctuation
        flaws[Flaw.EMPTY_PAGE] += 1
    elif not isinstance(url, str) or not url.strip():
        flaws[Flaw.NO_ADDRESS] += 1
    else:
        return Page(number, url, sentences, day_of(record.get("published")))
    return None


def repaired(data: bytes) -> Any:
    """Parse JSON that only strict readers refuse: not UTF-8, a byte order mark, halves of surrogate pairs, NaN.

    Raises a ``ValueError`` if it is no JSON, or nested too deeply.
    """
    try:
        record = json.loads(data.decode("utf-8-sig", errors="replace"), parse_int=float)
        text = json.dumps(record, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return json.loads(text)
    except RecursionError as error:
        raise ValueError(str(error)) from error


def _sentences(value: object, flaws: Flaws) -> tuple[str, ...]:
    """The strings of ``url2text`` without immediate repetitions, blank lines behind those that end no sentence."""
    items = value if isinstance(value, list) else [value] * isinstance(value, str)
    texts = [item for item in items if isinstance(item, str)]
    distinct = [text for text, _ in groupby(texts)]
    flaws.update({Flaw.NOT_TEXT: len(items) - len(texts), Flaw.REPEATED_SENTENCE: len(texts) - len(distinct)})
    return (*map(set_apart, distinct[:-1]), *distinct[-1:])


def day_of(value: object) -> date | None:
    """The day of an ISO date or time, such as a page's own, which stores of the shared task do not have."""
    with suppress(ValueError):
        return date.fromisoformat(str(value)[:10])
    return None


def write_store(pages: Iterable[Page], output: Path) -> int:
    """Write pages as a store, a line each, so that ``read_pages`` returns the same pages; return their number.

    An existing file is replaced once there is a page and all are written. The numbers of pages must count from 0.
    """
    partial, count = output.with_name(f".{output.name}.partial"), 0
    try:
        with partial.open("wb") as file:
            for page in pages:
                count += 1
                record: dict[str, object] = {"claim_id": shown_path(output.stem), "type": "document", "query": ""}
                record |= {"url": page.url, "url2text": page.sentences}
                known = {"published": page.published, "retrieved": page.retrieved, "sha256": page.sha256}
                record |= {name: value for name, value in known.items() if value}
                file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        if count:
            partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
    return count
