"""Documents to check claims against: files, folders, stores, addresses and texts, as pages of one collection."""

import datetime
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from rapidfuzz.distance import Postfix

from knowledge_store.isolation import Limits
from knowledge_store.pages.documents import DocumentsError, page_of_text, read_documents
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from system.graph.records import official_date, shown

log = logging.getLogger(__name__)

SHORTEST = 4  # fewest letters of a file's name by which the words of a reference can name it
_EXPECTED = "expected a path, a Document, several of them, or texts by their names"


@dataclass(frozen=True)
class Document:
    """A text to check against, with what is known of it.

    Raises:
        DocumentsError: the text is empty, the page is below 1, or the date has neither form.
    """

    text: str
    address: str = ""  #: what verdicts cite it by, a web address or a name; if it is empty, "document" and its place
    date: str | datetime.date = ""  #: when it was published, as 2020-08-25, 25-8-2020 or a date; empty if unknown
    page: int | None = None  #: of the whole that it was taken from, counted from 1; None if it is the whole

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text.strip():
            raise DocumentsError(f"document: text: expected a text, got {shown(self.text)}")
        if not (self.page is None or self.page > 0):
            raise DocumentsError(f"document: page: expected a number from 1, got {self.page}")
        try:
            _ = self.published
        except ValueError as error:
            raise DocumentsError(f"document: date: {error}") from None

    @property
    def published(self) -> datetime.date | None:
        """The date as such; None if it is unknown."""
        if isinstance(self.date, datetime.datetime):
            return self.date.date()
        if isinstance(self.date, datetime.date):
            return self.date
        known = official_date(self.date)
        return datetime.datetime.strptime(known, "%d-%m-%Y").date() if known else None


Listed = Sequence[Path | str | Document]  # one by one
Documents = Path | str | Document | Listed | Mapping[str, str]
"""A file, folder, knowledge store or web address (see ``read_documents``), a ``Document``, several of these, or texts
by their names."""


def named(documents: Documents, given: Listed) -> str:
    """A name for documents together; empty if there are none."""
    sources = [str(one) for one in given if not isinstance(one, Document)]
    texts = len(sources) < len(given) or isinstance(documents, Mapping)
    return ", ".join([*sources, *(["documents"] if texts else [])])


def listed(documents: Documents) -> Listed:
    """Documents of any form one by one, texts by their names as ``Document``.

    Raises:
        DocumentsError: something else was given.
    """
    if isinstance(documents, Path | str | Document):
        return [documents]
    if isinstance(documents, Mapping):
        return [Document(text, name) for name, text in documents.items() if not _is_blank(text, name)]
    if not isinstance(documents, Iterable) or isinstance(documents, bytes | bytearray) or hasattr(documents, "read"):
        raise DocumentsError(f"documents: {_EXPECTED}; got {shown(documents)}")
    several = list(documents)
    for one in several:
        if not isinstance(one, Path | str | Document):
            raise DocumentsError(f"documents: {_EXPECTED}; got {shown(one)} among them")
    return several


def _is_blank(text: object, name: str) -> bool:
    """Whether a text is empty: of several it is left out with a warning, as an empty file is."""
    blank = isinstance(text, str) and not text.strip()
    if blank:
        log.warning("%s: skipped, it has no text", name)
    return blank


def pages_of(given: Listed, flaws: Flaws, limits: Limits, *, fetch: bool = False) -> Iterator[Page]:
    """The pages of files, folders and addresses, then those of texts, each with a number of its own.

    See ``read_documents`` for the options and errors.
    """
    sources = [one for one in given if not isinstance(one, Document)]
    texts = [one for one in given if isinstance(one, Document)]
    last = -1
    for page in read_documents(sources, flaws, fetch=fetch, limits=limits) if sources else ():
        last = max(last, page.number)
        yield page
    for place, text in enumerate(texts, 1):
        name = (text.address or f"document {place}") + (f"#page={text.page}" if text.page else "")
        for page in page_of_text(last + place, name, text.text, flaws, limits):
            yield replace(page, published=text.published)


def meant(reference: str, documents: Mapping[str, str]) -> list[str]:
    """Return the document that an address or a reference names first, or several that share its name.

    ``documents`` has the address that each document gives itself, or "", by its name.
    """
    key = page_key(reference)
    path = unquote(key.partition("?")[0])
    made, words = {_slug(path), _slug(Path(path).name)}, _slug(reference) if " " in reference else ""
    same = [name for name, address in documents.items() if key in (page_key(name), page_key(address))]
    places = dict[str, int]()
    for name in documents:
        bare = Path(name).name.lower()
        stem, place = _slug(bare), reference.lower().find(bare)
        told = f"-{stem}-" in f"-{words}-" and len(stem if place < 0 else bare) >= SHORTEST
        if stem in made or told:
            places[name] = place
    first = min((place for place in places.values() if place >= 0), default=-1)
    found = same or [name for name, place in places.items() if place == first]
    ends = [Postfix.similarity(name.lower(), path) for name in found]
    return [name for name, end in zip(found, ends, strict=True) if end == max(ends)]


def _slug(name: str) -> str:
    """A name without the ending of a document, in letters and figures: "reports/2019_01.html" is "reports-2019-01"."""
    bare = name.rpartition(".")[0] if Path(name).suffix.lower() in SUFFIXES else name
    return re.sub(r"[\W_]+", "-", bare.lower()).strip("-")


def stores_in(path: Path | str) -> list[Path]:
    """A knowledge store, or all that lie in a folder, in the order of their names; an error if there is none."""
    folder = Path(path)
    found = sorted(folder.glob("*.json*")) if folder.is_dir() else [folder]
    if not (found and found[0].is_file()):
        raise DocumentsError(
            f"{path}: expected a knowledge store (.json), or a folder of them; give files of other formats as documents"
        )
    return found
