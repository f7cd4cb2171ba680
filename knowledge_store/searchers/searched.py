"""The search that a setting names. Results from the web are kept, so that a run can be repeated without it."""

import logging
import os
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import blake2b
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import orjson

from knowledge_store.pages.page import Flaw, Flaws, Page, on_the_web
from knowledge_store.pages.store import read_pages, write_store
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import SEARCH_RESULTS, RetrievalSettings

if TYPE_CHECKING:
    from knowledge_store.searchers.searxng import SearxNg

log = logging.getLogger(__name__)


def open_searcher(source: str, seconds: float = inf) -> "Archive | SearxNg":
    """The SearXNG server or archive that a setting names, for a search of so many seconds from now."""
    if on_the_web(source):
        from knowledge_store.searchers.searxng import IN_ALL, SearxNg  # only here: it takes a third of a second

        return SearxNg(source, seconds=min(seconds, IN_ALL))
    return Archive.open(Path(source), monotonic() + seconds)


def searched(
    query: str, day: date | None, settings: RetrievalSettings, flaws: Flaws, seconds: float = inf
) -> Iterator[Page]:
    """The pages that a search finds; of the web, those that it found when it was first made."""
    until = None if settings.later_pages else day
    if not on_the_web(settings.search):
        yield from open_searcher(settings.search, seconds).search(query, until, SEARCH_RESULTS, flaws)
        return
    asked = [settings.search, SEARCH_RESULTS, query.encode(errors="replace").decode(), until]
    kept = Path(settings.search_folder) / f"{blake2b(orjson.dumps(asked), digest_size=16).hexdigest()}.json"
    if not os.access(kept, os.F_OK):
        faults = Flaws()
        found = list(open_searcher(settings.search, seconds).search(query, until, SEARCH_RESULTS, faults))
        flaws.update(faults)
        if not found or faults[Flaw.NOT_IN_TIME] or not _keep(found, kept):  # more may be found later
            yield from found
            return
    yield from read_pages(kept, flaws)


def _keep(found: Sequence[Page], kept: Path) -> bool:
    """Write what a search found; return whether that was possible."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        return write_store(found, kept) > 0
    except OSError as error:
        log.warning("%s: what the search found is not kept (%s)", kept, error.strerror)
        return False
