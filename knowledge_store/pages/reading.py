"""Read documents in worker processes, within limits.

Functions whose names begin with an underscore run in a worker. Example: ``read_document(path, ".pdf", path.name)``.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from knowledge_store import isolation
from knowledge_store.isolation import LIMITS, Limits, isolated
from knowledge_store.pages.formats import LIBRARIES, parts_of, suffix_of
from knowledge_store.pages.page import UnreadableFile
from knowledge_store.pages.sentences import cut, language_of

MAX_FILE = 256 * 2**20  # bytes; a larger file is left out


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document that can be cited, with its place (see ``formats.parts_of``) and at least one sentence."""

    place: str
    sentences: tuple[str, ...]

    def address(self, document: str) -> str:
        """The address of this part, or the name of its file."""
        whole = document.partition("#")[0] if "://" in document else document
        return f"{whole}#{self.place}" if self.place else document


def read_document(source: Path | bytes, suffix: str, name: str, limits: Limits = LIMITS) -> list[Part]:
    """The parts of a file, or of what it holds, that have text. The suffix may be empty.

    Raises:
        WorkFailed: it cannot be read, or not within the limits.
    """
    return isolated(limits, _read, source, suffix, name, load=_loaded(suffix))


def read_found(body: bytes, suffix: str, name: str, limits: Limits = LIMITS) -> tuple[list[Part], date | None]:
    """See ``read_document``; with the date that a page of HTML gives as that of its publication."""
    return isolated(limits, _read_dated, body, suffix, name, load=_loaded(suffix))


def read_blocks(data: bytes, suffix: str, name: str, limits: Limits = LIMITS) -> list[str]:
    """The blocks of a document, uncut; see ``read_document``."""
    return isolated(limits, _read_blocks, data, suffix, name, load=_loaded(suffix))


@cache
def warm_up() -> None:
    """Start what reads pages of the web, once and in the background: a claim need not wait for it."""
    isolation.warm_up(_loaded(".html"))


def _loaded(suffix: str) -> tuple[str, ...]:
    return __name__, "knowledge_store.pages.sentences:language", *LIBRARIES.get(suffix, ())


def _read(source: Path | bytes, suffix: str, name: str) -> list[Part]:
    if isinstance(source, bytes):
        data = source
    elif (size := source.stat().st_size) > MAX_FILE:
        raise UnreadableFile(f"expected at most {MAX_FILE // 2**20} MiB, got {size / 2**20:,.0f}")
    else:
        data = source.read_bytes()
    parts = list(parts_of(data, suffix or suffix_of(data), name))
    code = language_of([block for _, blocks in parts[:20] for block in blocks[:100]])
    cited = ((place, cut(blocks, code)) for place, blocks in parts)
    return [Part(place, sentences) for place, sentences in cited if sentences]


def _read_blocks(data: bytes, suffix: str, name: str) -> list[str]:
    return [block for _, blocks in parts_of(data, suffix or suffix_of(data), name) for block in blocks]


def _read_dated(body: bytes, suffix: str, name: str) -> tuple[list[Part], date | None]:
    return _read(body, suffix, name), _published(body) if suffix == ".html" else None


def _published(body: bytes) -> date | None:
    from htmldate import find_date  # half a second to import

    with suppress(Exception):  # a page whose date cannot be found is a page without one
        found = find_date(body.decode("utf-8", "replace"), extensive_search=False, original_date=True)
        return date.fromisoformat(found) if found else None
    return None
