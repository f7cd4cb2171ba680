"""Read the user's own documents as pages: files, folders of files, standard input, addresses on the web.

Files are parsed and cut in worker processes, within limits. Example: ``list(read_documents("minutes/", Flaws()))``.
"""

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from threading import Thread

from knowledge_store.isolation import LATE, LIMITS, WORKERS, Limits, WorkFailed, isolated
from knowledge_store.normalization import encodable
from knowledge_store.pages.formats import LIBRARIES, SUFFIXES, parts_of, suffix_of, suffix_of_text
from knowledge_store.pages.html import parsed
from knowledge_store.pages.page import Flaw, Flaws, Page, UnreadableFile, counted, describe, on_the_web, shown_path
from knowledge_store.pages.sentences import cut, language_of
from knowledge_store.pages.store import read_pages
from knowledge_store.progress import progress_bar
from knowledge_store.turns import Turns

STORES = {".json", ".jsonl"}
STANDARD_INPUT = ("-", "/dev/stdin")
MAX_FILE = 256 * 2**20  # bytes; a larger file is left out
AHEAD = 4  # files read at once
OPENING = 2**18  # bytes of a page of HTML in which it names its address
NAMED = 10  # files that are named for each reason to leave them out; the others are counted
_ENDING_IN = f"ending in {', '.join(sorted(SUFFIXES))}"

log = logging.getLogger(__name__)


class DocumentsError(Exception):
    """There is nothing to read; the message says what is expected."""


def read_documents(
    sources: Sequence[str | Path] | str | Path, flaws: Flaws, *, fetch: bool = False, limits: Limits = LIMITS
) -> Iterator[Page]:
    """Yield documents as pages, in the order of the sources and, in a folder, of their names.

    The address of a page is the file's path, relative to the folder if that is the only source, and its page of a PDF
    or rows of a table: "a.pdf#page=3", "a.csv#row=2-9". Files that are left out are counted, the first ones named.

    Args:
        sources: each a document, a folder of any depth, a knowledge store, "-" for standard input, or a web address.
        flaws: counts what is wrong; complete when the iterator is exhausted.
        fetch: whether addresses on the web are fetched.
        limits: of each document; one that exceeds them is left out.

    Raises:
        DocumentsError: a source does not exist, holds no document, or may not be fetched; or none has text.
    """
    given = [str(source) for source in ([sources] if isinstance(sources, str | Path) else sources)]
    lines = len(given) == 1 and _is_store(given[0])  # whose pages have the numbers of their lines
    number = 0
    for source in given:
        for page in _read(source, flaws, limits, fetch=fetch, alone=len(given) == 1):
            yield page if lines else replace(page, number=number)
            number += 1
    for flaw in (Flaw.UNREADABLE_FILE, Flaw.EMPTY_PAGE):
        if flaws[flaw] > NAMED:
            log.warning("%s: %d more skipped", flaw, flaws[flaw] - NAMED)
    if not number:
        raise DocumentsError(f"no text in {', '.join(given)}{describe(flaws)}")


def find_documents(sources: Iterable[str | Path], *, fetch: bool = False) -> None:
    """Check that there is something to read, before anything that takes long; raises ``DocumentsError``."""
    for source in map(str, sources):
        if on_the_web(source):
            _allow(source, fetch=fetch)
        elif source not in STANDARD_INPUT and not _is_store(source):
            _files(source)


def page_of_text(number: int, name: str, text: str, flaws: Flaws, limits: Limits = LIMITS) -> Iterator[Page]:
    """Yield a pasted text as a page; nothing, a flaw and a warning if it is left out."""
    pages = pages_of_file(shown_path(name), encodable(text).encode(), suffix_of_text(text), flaws, limits)
    return (replace(page, number=number) for page in pages)


def pages_of_file(name: str, data: bytes, suffix: str, flaws: Flaws, limits: Limits = LIMITS) -> Iterator[Page]:
    """Yield the pages of a file that somebody sent, as ``page_of_text`` does; its suffix may be empty."""
    return _kept(name, _tried(partial(read_document, data, suffix, name, limits)), flaws)


def read_document(
    source: Path | bytes, suffix: str, name: str, limits: Limits = LIMITS, *, dated: bool = False
) -> list[Page]:
    """The parts of a file, or of what it holds, that have text, each as a page with its own address.

    Args:
        suffix: of the file's name; if empty, the bytes tell the format.
        name: path or address, for warnings and for the addresses of the parts (see ``formats.parts_of``).
        dated: whether to look for the date of publication that a page of HTML gives.

    Raises:
        WorkFailed: it cannot be read, or not within the limits.
    """
    return isolated(limits, _pages, source, suffix, name, dated, load=_loaded(suffix))


def read_blocks(data: bytes, suffix: str, name: str) -> list[str]:
    """The blocks of a document, uncut; see ``read_document``."""
    parts = isolated(LIMITS, parts_of, data, suffix or suffix_of(data), name, load=_loaded(suffix))
    return [block for _, blocks in parts for block in blocks]


@cache
def warm_up() -> None:
    """Start what reads pages of the web, once and in the background: a claim need not wait for it."""
    read = partial(_tried, partial(read_document, b"<p>It rained.", ".html", "warming"))
    for _ in range(WORKERS):
        Thread(target=read, daemon=True).start()


def _loaded(suffix: str) -> tuple[str, ...]:
    return __name__, "knowledge_store.pages.sentences:language", *LIBRARIES.get(suffix, ())


def _pages(source: Path | bytes, suffix: str, name: str, dated: bool) -> list[Page]:
    """See ``read_document``; runs in a worker."""
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    if size > MAX_FILE:
        raise UnreadableFile(f"expected at most {MAX_FILE // 2**20} MiB, got {size / 2**20:,.0f}")
    data = source if isinstance(source, bytes) else source.read_bytes()
    parts = parts_of(data, suffix or suffix_of(data), name)
    code = language_of([block for _, blocks in parts[:20] for block in blocks[:100]])
    published = _published(data) if dated and suffix == ".html" else None
    canonical = _canonical(data) if suffix in (".html", ".htm") else ""
    whole = name.partition("#")[0] if "://" in name else name
    cited = ((f"{whole}#{place}" if place else name, cut(blocks, code)) for place, blocks in parts)
    return [Page(0, address, text, published, canonical=canonical) for address, text in cited if text]


def _canonical(body: bytes) -> str:
    """The address that a page gives itself, or that a browser wrote above it when it saved it."""
    text = body[:OPENING].decode("utf-8", "replace")
    if saved := re.search(r"<!-- saved from url=\(\d+\)(https?://\S+)", text):
        return saved[1]
    tree = parsed(text)
    links = [] if tree is None else tree.xpath("//link[starts-with(@href, 'http')]")
    return next((link.get("href") for link in links if "canonical" in link.get("rel", "").lower().split()), "")


def _published(body: bytes) -> date | None:
    from htmldate import find_date  # half a second to import

    with suppress(Exception):  # a page whose date cannot be found is a page without one
        found = find_date(body.decode("utf-8", "replace"), extensive_search=False, original_date=True)
        return date.fromisoformat(found) if found else None
    return None


def _read(source: str, flaws: Flaws, limits: Limits, *, fetch: bool, alone: bool) -> Iterator[Page]:
    if on_the_web(source):
        _allow(source, fetch=fetch)
        yield from _kept(source, _tried(partial(_fetched, source, limits)), flaws)
    elif source in STANDARD_INPUT:
        yield from pages_of_file("standard input", sys.stdin.buffer.read(MAX_FILE + 1), "", flaws, limits)
    elif _is_store(source):
        yield from read_pages(Path(source), flaws, limits.until)
    else:
        files, path = _files(source, flaws), Path(source)
        folder = (path if path.is_dir() else path.parent) if alone else Path()
        names = [shown_path(file.relative_to(folder) if alone else file) for file in files]
        works = (
            partial(read_document, file.absolute(), file.suffix.lower(), name, limits)
            for file, name in zip(files, names, strict=True)
        )
        read = Turns("documents", AHEAD).map(_tried, works)
        shown = progress_bar(names, desc="documents", unit="file", leave=False, disable=None)
        for name, pages in zip(shown, read, strict=True):
            yield from _kept(name, pages, flaws)


def _fetched(url: str, limits: Limits) -> list[Page]:
    from knowledge_store.pages.fetching import SECONDS, Fetcher  # only here: it takes a third of a second

    if not limits.left:
        raise WorkFailed(LATE)
    response = Fetcher(min(SECONDS, limits.left)).fetch(url)
    return read_document(response.body, response.suffix, response.url, limits)


def _allow(url: str, *, fetch: bool) -> None:
    if not fetch:
        raise DocumentsError(f"{url} is on the web; allow it with the option fetch, or save it as a file")


def _is_store(source: str) -> bool:
    return Path(source).suffix.lower() in STORES and _is_file(Path(source))


def _is_file(path: Path) -> bool:
    return os.access(path, os.F_OK) and path.is_file()


def _files(source: str, flaws: Flaws | None = None) -> list[Path]:
    """The documents at a path; with ``flaws``, files in other formats are counted, what cannot be read is named."""
    path = Path(source)
    if not os.access(path, os.F_OK):
        raise DocumentsError(f"{source:.200} not found; expected a file or a folder of files {_ENDING_IN}")
    visible = (entry for entry in path.rglob("*") if not any(part[0] == "." for part in entry.relative_to(path).parts))
    entries = [path] if path.is_file() else sorted(visible)
    files = [entry for entry in entries if _is_file(entry)]
    documents = [file for file in files if file.suffix.lower() in SUFFIXES]
    if not documents:
        raise DocumentsError(f"{path}: no documents; expected a file or a folder of files {_ENDING_IN}")
    if flaws is None:
        return documents
    for entry in entries:
        if not _is_file(entry) and (entry.is_symlink() or not os.access(entry, os.R_OK | os.X_OK)):
            reason = "it is a link to a folder, a broken link, or may not be read"
            _leave_out(shown_path(entry), reason, Flaw.UNREADABLE_FILE, flaws)
    others = [shown_path(file.relative_to(path)) for file in files if file.suffix.lower() not in SUFFIXES]
    if others:
        flaws[Flaw.OTHER_FORMAT] += len(others)
        names = ", ".join(others[:NAMED] + ["…"] * (len(others) > NAMED))
        skipped = f"{counted(len(others), 'file')} in another format ({names})"
        log.warning("%s: skipped %s; expected files %s", path, skipped, _ENDING_IN)
    return documents


def _tried(work: Callable[[], list[Page]]) -> list[Page] | WorkFailed:
    try:
        return work()
    except WorkFailed as error:
        return error


def _kept(name: str, pages: list[Page] | WorkFailed, flaws: Flaws) -> Iterator[Page]:
    if isinstance(pages, WorkFailed):
        _leave_out(name, f"cannot be read ({pages})", Flaw.UNREADABLE_FILE, flaws)
    elif not pages:
        _leave_out(name, "it has no text", Flaw.EMPTY_PAGE, flaws)
    else:
        yield from pages


def _leave_out(name: str, reason: str, flaw: Flaw, flaws: Flaws) -> None:
    flaws[flaw] += 1
    if flaws[flaw] <= NAMED:
        log.warning("%s: skipped, %s", name, reason)
