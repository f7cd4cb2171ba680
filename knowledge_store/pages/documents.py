"""The user's own documents as pages: text, Markdown and HTML files."""

import logging
from collections.abc import Iterator
from pathlib import Path

import trafilatura
from charset_normalizer import from_bytes
from markdown_it import MarkdownIt
from sentencex import segment
from tqdm import tqdm

from knowledge_store.pages.page import Flaw, Flaws, Page
from knowledge_store.pages.store import read_pages

HTML = {".html", ".htm"}
MARKDOWN = {".md", ".markdown"}
SUFFIXES = {".txt"} | MARKDOWN | HTML
STORES = {".json", ".jsonl"}

log = logging.getLogger(__name__)
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # its complaints name no file; ours do


class DocumentsError(Exception):
    """There is nothing to read at a path; the message says what is expected there."""


def read_documents(path: Path, flaws: Flaws) -> Iterator[Page]:
    """Yield the documents at a path as pages, in the order of their names.

    The address of a page is the file's path relative to the folder. A file without text, or one that cannot be
    read, is counted, named in a warning, and left out.

    Args:
        path: a document, a folder of documents (searched to any depth, hidden files aside), or a knowledge store.
        flaws: counts what is wrong; complete when the iterator is exhausted.

    Raises:
        DocumentsError: the path does not exist, or holds no document.
    """
    if path.suffix.lower() in STORES and path.is_file():
        yield from read_pages(path, flaws)
        return
    folder = path if path.is_dir() else path.parent
    number = 0
    for file in tqdm(_files(path), desc="documents", unit="file", leave=False, disable=None):
        name = file.relative_to(folder).as_posix()
        sentences = _sentences(file, name, flaws)
        if sentences:
            yield Page(number, name, sentences)
            number += 1


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, with single spaces in them; none where it is blank.

    >>> sentences_of("It rained.  Then it\\nstopped.")
    ('It rained.', 'Then it stopped.')
    """
    sentences = (" ".join(sentence.split()) for sentence in segment("en", text))
    return tuple(sentence for sentence in sentences if sentence)


def _files(path: Path) -> list[Path]:
    expected = f"expected a file or a folder of files ending in {', '.join(sorted(SUFFIXES))}"
    if not path.exists():
        raise DocumentsError(f"{path} does not exist; {expected}")
    if path.is_file():
        files = [path]
    else:
        inside = (file for file in path.rglob("*") if not _is_hidden(file.relative_to(path)))
        files = sorted(file for file in inside if file.is_file())
    documents = [file for file in files if file.suffix.lower() in SUFFIXES]
    if not documents:
        raise DocumentsError(f"no document at {path}; {expected}")
    return documents


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _sentences(file: Path, name: str, flaws: Flaws) -> tuple[str, ...]:
    try:
        text = _text(file, name)
    except (OSError, UnicodeError) as error:
        flaws[Flaw.UNREADABLE_FILE] += 1
        log.warning("%s: left out, cannot be read (%s)", name, error)
        return ()
    found = sentences_of(text)
    if not found:
        flaws[Flaw.EMPTY_PAGE] += 1
        log.warning("%s: left out, it has no text", name)
    return found


def _text(file: Path, name: str) -> str:
    """The prose of a file; paragraphs end with a blank line."""
    text = _decode(file.read_bytes(), name)
    suffix = file.suffix.lower()
    if suffix in HTML:
        # Extraction drops menus and advertisements; a page that is too short for it is taken whole.
        text = trafilatura.extract(text, include_comments=False) or trafilatura.html2txt(text)
        return text.replace("\n", "\n\n")
    return _prose(text) if suffix in MARKDOWN else text


def _decode(data: bytes, name: str) -> str:
    """Decode UTF-8 and, failing that, what the bytes look like, which a warning tells.

    Raises:
        UnicodeError: the bytes look like no text.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        guess = from_bytes(data).best()
        if guess is None:
            raise UnicodeError("not text in any known encoding") from None
        log.warning("%s: not UTF-8, read as %s", name, guess.encoding)
        return str(guess)


def _prose(markdown: str) -> str:
    """The text of Markdown without its markup, a paragraph for each block."""
    blocks = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "inline":
            blocks.append("".join(child.content or " " * (child.type == "softbreak") for child in token.children or ()))
        elif token.type in ("fence", "code_block"):
            blocks.append(token.content)
    return "\n\n".join(blocks)
