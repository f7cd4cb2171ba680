"""The user's own documents as pages: files, folders of files, standard input, addresses on the web."""

import logging
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sentencex import segment
from tqdm import tqdm

from knowledge_store.pages.fetching import Fetcher, FetchError
from knowledge_store.pages.filters import OPENING, language
from knowledge_store.pages.formats import SUFFIXES, UnreadableFile, blocks_of, suffix_of
from knowledge_store.pages.page import Flaw, Flaws, Page, describe
from knowledge_store.pages.store import read_pages

STORES = {".json", ".jsonl"}
STANDARD_INPUT = "-"
MAX_FILE = 256 * 2**20  # bytes; a larger file is left out
TELLING = 200  # characters from which a text tells its language
ENDING = re.compile(r"[.!?…。！？।॥؟۔][\"'”’»)\]]*$")  # of a sentence
_ENDING_IN = f"ending in {', '.join(sorted(SUFFIXES))}"

log = logging.getLogger(__name__)


class DocumentsError(Exception):
    """There is nothing to read; the message says what is expected."""


def read_documents(sources: Sequence[str | Path] | str | Path, flaws: Flaws, *, fetch: bool = False) -> Iterator[Page]:
    """Yield documents as pages, in the order of the sources and, in a folder, of their names.

    The address of a page is the file's path: relative to the folder where the source is one, as it was given where
    there are several. Each file that is left out is counted and named in a warning, with the reason.

    Args:
        sources: each a document, a folder of documents (searched to any depth), a knowledge store, "-" for standard
            input, or an address on the web.
        flaws: counts what is wrong; complete when the iterator is exhausted.
        fetch: whether addresses on the web are fetched.

    Raises:
        DocumentsError: a source does not exist, holds no document, or may not be fetched; or none has text.
    """
    given = [str(source) for source in ([sources] if isinstance(sources, str | Path) else sources)]
    if len(given) == 1 and _is_store(given[0]):
        yield from read_pages(Path(given[0]), flaws)
        return
    number = 0
    for source in given:
        for page in _read(source, flaws, fetch=fetch, alone=len(given) == 1):
            yield replace(page, number=number)
            number += 1
    if not number:
        raise DocumentsError(f"no text in {', '.join(given)}{describe(flaws)}")


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, with single spaces in them; none where it is blank.

    The rules are those of the text's language. What ends a block without ending a sentence, such as a heading, keeps a
    blank line behind it, so that it is not joined to the sentence after it.

    >>> sentences_of("It rained.  Then it\\nstopped.")
    ('It rained.', 'Then it stopped.')
    >>> sentences_of("The weather\\n\\nIt rained.")
    ('The weather\\n\\n', 'It rained.')
    """
    return _sentences(text.replace("\r\n", "\n").split("\n\n"))


def _sentences(blocks: Sequence[str]) -> tuple[str, ...]:
    code = _language(blocks)
    found: list[str] = []
    for block in blocks:
        cut = [text for sentence in segment(code, block) if (text := " ".join(sentence.split()))]
        if cut and not ENDING.search(cut[-1]):
            cut[-1] += "\n\n"
        found += cut
    return (*found[:-1], found[-1].rstrip()) if found else ()


def _language(blocks: Sequence[str]) -> str:
    """The language of a text, as an ISO 639-1 code; English where it is too short to tell."""
    opening = "\n".join(blocks)[:OPENING]
    return language(opening) if len(opening) >= TELLING else "en"


def _read(source: str, flaws: Flaws, *, fetch: bool, alone: bool) -> Iterator[Page]:
    if source.startswith(("http://", "https://")):
        yield from _fetched(source, flaws, fetch=fetch)
    elif source == STANDARD_INPUT:
        yield from _page("standard input", sys.stdin.buffer.read, "", flaws)
    elif _is_store(source):
        yield from read_pages(Path(source), flaws)
    else:
        path = Path(source)
        folder = (path if path.is_dir() else path.parent) if alone else None
        for file in tqdm(_files(path, flaws), desc="documents", unit="file", leave=False, disable=None):
            name = file.relative_to(folder).as_posix() if folder else file.as_posix()
            yield from _page(name, partial(_bytes, file), file.suffix.lower(), flaws)


def _fetched(url: str, flaws: Flaws, *, fetch: bool) -> Iterator[Page]:
    if not fetch:
        raise DocumentsError(f"{url} is on the web; allow it with --fetch, or save it as a file")
    try:
        response = Fetcher().fetch(url)
    except FetchError as error:
        _leave_out(url, str(error), Flaw.UNREADABLE_FILE, flaws)
        return
    if page := page_of(url, response.body, response.suffix, flaws):
        yield page


def _is_store(source: str) -> bool:
    return Path(source).suffix.lower() in STORES and Path(source).is_file()


def _files(path: Path, flaws: Flaws) -> list[Path]:
    """The documents at a path; what else lies there is left out by name."""
    if not path.exists():
        raise DocumentsError(f"{path} not found; expected a file or a folder of files {_ENDING_IN}")
    if path.is_file():
        found = [path]
    else:
        found = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    for file in found:
        if file.suffix.lower() not in SUFFIXES:
            _leave_out(file.as_posix(), f"expected a file {_ENDING_IN}", Flaw.OTHER_FORMAT, flaws)
    documents = [file for file in found if file.suffix.lower() in SUFFIXES]
    if not documents:
        raise DocumentsError(f"{path}: no documents; expected a file or a folder of files {_ENDING_IN}")
    return documents


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _bytes(file: Path) -> bytes:
    size = file.stat().st_size
    if size > MAX_FILE:
        raise UnreadableFile(f"expected at most {MAX_FILE // 2**20} MiB, got {size / 2**20:,.0f}")
    return file.read_bytes()


def page_of(name: str, data: bytes, suffix: str, flaws: Flaws) -> Page | None:
    """The page that a document makes, with the number 0; None, a flaw and a warning where it is left out.

    Args:
        suffix: the ending of its name; empty where it has none.
    """
    return next(_page(name, lambda: data, suffix, flaws), None)


def _page(name: str, read: Callable[[], bytes], suffix: str, flaws: Flaws) -> Iterator[Page]:
    try:
        data = read()
        sentences = _sentences(blocks_of(data, suffix or suffix_of(data), name))
    except Exception as error:  # noqa: BLE001 - whatever a file does to its reader, the others are read
        reason = str(error).partition("\n")[0] or type(error).__name__
        _leave_out(name, f"cannot be read ({reason})", Flaw.UNREADABLE_FILE, flaws)
        return
    if sentences:
        yield Page(0, name, sentences)
    else:
        _leave_out(name, "it has no text", Flaw.EMPTY_PAGE, flaws)


def _leave_out(name: str, reason: str, flaw: Flaw, flaws: Flaws) -> None:
    flaws[flaw] += 1
    log.warning("%s: left out, %s", name, reason)
