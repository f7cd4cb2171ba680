"""Read the user's own documents as pages: files, folders of files, standard input, addresses on the web.

Example: ``list(read_documents("minutes/", Flaws()))``.
"""

import logging
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path

from knowledge_store.isolation import LATE, LIMITS, Limits, WorkFailed
from knowledge_store.normalization import encodable
from knowledge_store.pages.formats import SUFFIXES, suffix_of_text
from knowledge_store.pages.page import Flaw, Flaws, Page, counted, describe, shown_path
from knowledge_store.pages.reading import MAX_FILE, Part, read_document
from knowledge_store.pages.store import read_pages
from knowledge_store.progress import progress_bar

STORES = {".json", ".jsonl"}
STANDARD_INPUT = "-"
AHEAD = 4  # limit of files read at once
NAMED = 10  # files that are named for each reason to leave them out; the others are counted
_ENDING_IN = f"ending in {', '.join(sorted(SUFFIXES))}"

log = logging.getLogger(__name__)


class DocumentsError(Exception):
    """There is nothing to read; the message says what is expected."""


def read_documents(
    sources: Sequence[str | Path] | str | Path, flaws: Flaws, *, fetch: bool = False, limits: Limits = LIMITS
) -> Iterator[Page]:
    """Yield documents as pages, in the order of the sources and, in a folder, of their names.

    The address of a page is the file's path, relative to the folder if that is the only source. A page of a PDF, and
    some rows of a table, are a page each: "a.pdf#page=3", "a.csv#row=2-9". Files that are left out are counted, and the
    first of each flaw are named in a warning.

    Args:
        sources: each a document, a folder of documents (searched to any depth), a knowledge store, "-" for standard
            input, or an address on the web.
        flaws: counts what is wrong; complete when the iterator is exhausted.
        fetch: whether addresses on the web are fetched.
        limits: of each document; one that exceeds them, or is not read in time, is left out.

    Raises:
        DocumentsError: a source does not exist, holds no document, or may not be fetched; or none has text.
    """
    given = [str(source) for source in ([sources] if isinstance(sources, str | Path) else sources)]
    before, number = flaws.copy(), 0
    if len(given) == 1 and _is_store(given[0]):
        for page in read_pages(Path(given[0]), flaws, limits.until):  # whose numbers are those of its lines
            yield page
            number += 1
    else:
        for source in given:
            for page in _read(source, flaws, limits, fetch=fetch, alone=len(given) == 1):
                yield replace(page, number=number)
                number += 1
    for flaw, count in (flaws - before).items():
        if flaw in _BY_NAME and count > NAMED:
            log.warning("%s: %d more skipped", flaw, count - NAMED)
    if not number:
        raise DocumentsError(f"no text in {', '.join(given)}{describe(flaws)}")


def find_documents(sources: Iterable[str | Path], *, fetch: bool = False) -> None:
    """Check that there is something to read, before anything that takes long.

    Raises:
        DocumentsError: a source does not exist, holds no document, or may not be fetched.
    """
    for source in map(str, sources):
        if _on_the_web(source):
            _allow(source, fetch=fetch)
        elif source != STANDARD_INPUT and not _is_store(source):
            _sorted(_existing(source))


def page_of_text(number: int, name: str, text: str, flaws: Flaws, limits: Limits = LIMITS) -> Iterator[Page]:
    """Yield a pasted text as a page; nothing, a flaw and a warning if it is left out."""
    pages = pages_of_file(shown_path(name), encodable(text).encode(), suffix_of_text(text), flaws, limits)
    return (replace(page, number=number) for page in pages)


def pages_of_file(name: str, data: bytes, suffix: str, flaws: Flaws, limits: Limits = LIMITS) -> Iterator[Page]:
    """Yield the pages of a file that somebody sent; nothing, a flaw and a warning if it is left out.

    Args:
        suffix: the ending of its name, or empty.
    """
    yield from _pages(name, _parts(data, suffix, name, limits), flaws)


def _read(source: str, flaws: Flaws, limits: Limits, *, fetch: bool, alone: bool) -> Iterator[Page]:
    if _on_the_web(source):
        yield from _fetched(source, flaws, limits, fetch=fetch)
    elif source == STANDARD_INPUT:
        name = "standard input"
        yield from _pages(name, _parts(sys.stdin.buffer.read(MAX_FILE + 1), "", name, limits), flaws)
    elif _is_store(source):
        yield from read_pages(Path(source), flaws, limits.until)
    else:
        path = _existing(source)
        folder = (path if path.is_dir() else path.parent) if alone else None
        files = _files(path, flaws)
        read = _ahead(files, limits)
        for file, parts in progress_bar(
            read, total=len(files), desc="documents", unit="file", leave=False, disable=None
        ):
            yield from _pages(shown_path(file.relative_to(folder) if folder else file), parts, flaws)


def _fetched(url: str, flaws: Flaws, limits: Limits, *, fetch: bool) -> Iterator[Page]:
    _allow(url, fetch=fetch)
    from knowledge_store.pages.fetching import SECONDS, Fetcher, FetchError  # only here: it takes a third of a second

    try:
        if not limits.left:
            raise FetchError(LATE)
        response = Fetcher(min(SECONDS, limits.left)).fetch(url)
    except FetchError as error:
        _leave_out(url, str(error), Flaw.UNREADABLE_FILE, flaws)
        return
    yield from _pages(response.url, _parts(response.body, response.suffix, response.url, limits), flaws)


def _on_the_web(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _allow(url: str, *, fetch: bool) -> None:
    if not fetch:
        raise DocumentsError(f"{url} is on the web; allow it with the option fetch, or save it as a file")


def _existing(source: str) -> Path:
    path = Path(source)
    if not os.access(path, os.F_OK):
        raise DocumentsError(f"{source:.200} not found; expected a file or a folder of files {_ENDING_IN}")
    return path


def _is_store(source: str) -> bool:
    return Path(source).suffix.lower() in STORES and _is_file(Path(source))


def _files(path: Path, flaws: Flaws) -> list[Path]:
    """The documents at a path; files in other formats are counted, what else cannot be read is named."""
    documents, others, unread = _sorted(path)
    for entry in unread:
        link = os.access(entry, os.R_OK) and entry.is_dir()
        reason = "it is a link to a folder" if link else "it is a broken link, or may not be read"
        _leave_out(shown_path(entry), reason, Flaw.UNREADABLE_FILE, flaws)
    if others:
        flaws[Flaw.OTHER_FORMAT] += len(others)
        names = [shown_path(file.relative_to(path)) for file in others[:NAMED]] + ["…"] * (len(others) > NAMED)
        skipped = f"{counted(len(others), 'file')} in another format ({', '.join(names)})"
        log.warning("%s: skipped %s; expected files %s", path, skipped, _ENDING_IN)
    return documents


def _sorted(path: Path) -> tuple[list[Path], list[Path], list[Path]]:
    """The documents at a path, the other files there, and links and folders that are not followed."""
    entries = [path] if path.is_file() else sorted(entry for entry in path.rglob("*") if not _is_hidden(entry, path))
    files = [entry for entry in entries if _is_file(entry)]
    unread = [entry for entry in entries if entry not in {*files} and not _is_folder(entry)]
    documents = [file for file in files if file.suffix.lower() in SUFFIXES]
    others = [file for file in files if file.suffix.lower() not in SUFFIXES]
    if not documents:
        raise DocumentsError(f"{path}: no documents; expected a file or a folder of files {_ENDING_IN}")
    return documents, others, unread


def _is_folder(path: Path) -> bool:
    """Whether files in a folder are looked for."""
    return os.access(path, os.R_OK | os.X_OK) and path.is_dir() and not path.is_symlink()


def _is_file(path: Path) -> bool:
    return os.access(path, os.F_OK) and path.is_file()


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _ahead(files: Sequence[Path], limits: Limits) -> Iterator[tuple[Path, list[Part] | WorkFailed]]:
    """Files with what reading them gave, in their order; some are read while the caller works on those before."""
    threads = ThreadPoolExecutor(AHEAD)
    try:
        submitted = (
            (file, threads.submit(_parts, file.absolute(), file.suffix.lower(), shown_path(file.name), limits))
            for file in files
        )
        waiting = deque(islice(submitted, AHEAD))
        while waiting:
            file, parts = waiting.popleft()
            yield file, parts.result()
            waiting.extend(islice(submitted, 1))
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _parts(source: Path | bytes, suffix: str, name: str, limits: Limits) -> list[Part] | WorkFailed:
    try:
        if isinstance(source, bytes) and len(source) > MAX_FILE:
            raise WorkFailed(f"expected at most {MAX_FILE // 2**20} MiB")
        return read_document(source, suffix, name, limits)
    except WorkFailed as error:
        return error


def _pages(name: str, parts: list[Part] | WorkFailed, flaws: Flaws) -> Iterator[Page]:
    if isinstance(parts, WorkFailed):
        _leave_out(name, f"cannot be read ({parts})", Flaw.UNREADABLE_FILE, flaws)
        return
    if not parts:
        _leave_out(name, "it has no text", Flaw.EMPTY_PAGE, flaws)
    for part in parts:
        yield Page(0, part.address(name), part.sentences)


_BY_NAME = (Flaw.UNREADABLE_FILE, Flaw.EMPTY_PAGE)  # by which documents are left out


def _leave_out(name: str, reason: str, flaw: Flaw, flaws: Flaws) -> None:
    flaws[flaw] += 1
    if flaws[flaw] <= NAMED:
        log.warning("%s: skipped, %s", name, reason)
