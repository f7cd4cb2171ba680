"""Read documents in worker processes, within limits.

Functions whose names begin with an underscore run in a worker. Example: ``read_document(path, ".pdf", path.name)``.
"""

from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path

from knowledge_store import isolation
from knowledge_store.isolation import LIMITS, Limits, isolated
from knowledge_store.pages.formats import LIBRARIES, parts_of, suffix_of
from knowledge_store.pages.page import Page, UnreadableFile
from knowledge_store.pages.sentences import cut, language_of

MAX_FILE = 256 * 2**20  # bytes; a larger file is left out


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
    return isolated(limits, _read, source, suffix, name, dated, load=_loaded(suffix))


def read_blocks(data: bytes, suffix: str, name: str, limits: Limits = LIMITS) -> list[str]:
    """The blocks of a document, uncut; see ``read_document``."""
    return isolated(limits, _read_blocks, data, suffix, name, load=_loaded(suffix))


@cache
def warm_up() -> None:
    """Start what reads pages of the web, once and in the background: a claim need not wait for it."""
    isolation.warm_up(_loaded(".html"))


def _loaded(suffix: str) -> tuple[str, ...]:
    return __name__, "knowledge_store.pages.sentences:language", *LIBRARIES.get(suffix, ())


def _read(source: Path | bytes, suffix: str, name: str, dated: bool) -> list[Page]:
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    if size > MAX_FILE:
        raise UnreadableFile(f"expected at most {MAX_FILE // 2**20} MiB, got {size / 2**20:,.0f}")
    data = source if isinstance(source, bytes) else source.read_bytes()
    parts = list(parts_of(data, suffix or suffix_of(data), name))
    code = language_of([block for _, blocks in parts[:20] for block in blocks[:100]])
    published = _published(data) if dated and suffix == ".html" else None
    whole = name.partition("#")[0] if "://" in name else name
    cited = ((f"{whole}#{place}" if place else name, cut(blocks, code)) for place, blocks in parts)
    return [Page(0, address, sentences, published) for address, sentences in cited if sentences]


def _read_blocks(data: bytes, suffix: str, name: str) -> list[str]:
    return [block for _, blocks in parts_of(data, suffix or suffix_of(data), name) for block in blocks]


def _published(body: bytes) -> date | None:
    from htmldate import find_date  # half a second to import

    with suppress(Exception):  # a page whose date cannot be found is a page without one
        found = find_date(body.decode("utf-8", "replace"), extensive_search=False, original_date=True)
        return date.fromisoformat(found) if found else None
    return None
