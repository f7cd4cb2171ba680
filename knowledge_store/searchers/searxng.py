"""Searching the web through a SearXNG server, by its JSON API (docs.searxng.org/dev/search_api.html).

The server is the user's own choice and may stand anywhere. The pages that it finds are strangers' choice: they are
fetched from the open Internet alone, within limits, and where robots.txt admits it.
"""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import orjson

from knowledge_store.pages.documents import page_of
from knowledge_store.pages.fetching import Fetcher, FetchError
from knowledge_store.pages.page import Flaw, Flaws, Page
from knowledge_store.searchers import SearchError

SECONDS = 8.0  # that the server, and then each page, may take
AT_ONCE = 10  # pages
LONGEST = 400  # characters of a query

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    """A result of the server."""

    url: str
    published: date | None


class SearxNg:
    """A SearXNG server; see ``Searcher``.

    Args:
        address: of the server, as "http://localhost:8888".
        fetcher: of the pages found.
    """

    def __init__(self, address: str, fetcher: Fetcher | None = None) -> None:
        self._address = address.rstrip("/")
        self._server = Fetcher(SECONDS, admits=lambda _: True)
        self._fetcher = fetcher or Fetcher(SECONDS, robots=True)

    def search(self, query: str, day: date | None, limit: int, flaws: Flaws) -> Iterator[Page]:
        """See ``Searcher.search``."""
        found = [result for result in self._results(query) if not _is_later(result.published, day)][:limit]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            pages = list(pool.map(lambda result: self._page(result, flaws), found))
        admitted = [page for page in pages if page and not _is_later(page.published, day)]
        return (replace(page, number=number) for number, page in enumerate(admitted))

    def _results(self, query: str) -> list[Found]:
        url = f"{self._address}/search?{urlencode({'q': query[:LONGEST], 'format': 'json'})}"
        try:
            body = self._server.fetch(url, {"application/json": ".json"}).body
            results: list[dict[str, Any]] = orjson.loads(body)["results"]
            found = {
                str(result["url"]): Found(str(result["url"]), _day(result.get("publishedDate"))) for result in results
            }
        except FetchError as error:
            raise SearchError(
                f"SearXNG at {self._address}: {error}; expected a running server whose settings allow the format json"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise SearchError(f"SearXNG at {self._address}: expected results as JSON, got something else") from error
        return [*found.values()]

    def _page(self, result: Found, flaws: Flaws) -> Page | None:
        try:
            response = self._fetcher.fetch(result.url)
        except FetchError as error:
            flaws[Flaw.NOT_FETCHED] += 1
            log.warning("%s: left out, %s", result.url, error)
            return None
        page = page_of(response.url, response.body, response.suffix, flaws)
        if page is None:
            return None
        return replace(
            page,
            published=result.published or _published(response.body, response.suffix),
            retrieved=datetime.now(UTC).isoformat(timespec="seconds"),
            sha256=sha256(response.body).hexdigest(),
        )


def _is_later(published: date | None, day: date | None) -> bool:
    return published is not None and day is not None and published > day


def _published(body: bytes, suffix: str) -> date | None:
    """The date that a page of HTML gives as that of its publication."""
    if suffix != ".html":
        return None
    from htmldate import find_date  # half a second to import

    return _day(find_date(body.decode("utf-8", "replace"), extensive_search=False, original_date=True))


def _day(text: object) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(str(text)[:10])
    return None
