"""Search the web through a SearXNG server, by its JSON API (docs.searxng.org/dev/search_api.html).

The server may stand anywhere, because the user chose it. The pages that it finds are fetched only from the open
Internet, within limits, and if robots.txt allows it.
"""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from time import monotonic
from urllib.parse import urlencode

from knowledge_store.isolation import Limits, TookTooLong
from knowledge_store.pages.documents import read_document, warm_up
from knowledge_store.pages.fetching import Fetcher, FetchError
from knowledge_store.pages.page import Flaw, Flaws, Page
from knowledge_store.pages.store import day_of, repaired
from knowledge_store.searchers import SearchError

SECONDS = 8.0  # that the server, and then each page, may take to answer
IN_ALL = 20.0  # seconds for fetching and reading all pages of a search
FOUND = Limits(seconds=4.0)  # of reading a page
AT_ONCE = 10  # pages
LONGEST = 400  # characters of a query
NAMED = 10  # engines that are named
FORMATS = "allow JSON in the server's settings.yml: search: formats: [html, json]"
REMEDIES = {403: FORMATS, 429: "it gets too many requests: wait, or switch off its limiter for this machine"}
"""What to do about the status of an answer."""

log = logging.getLogger(__name__)


class SearxNg:
    """A SearXNG server at an address as "http://localhost:8888"; ``seconds`` are for a search and all its pages."""

    def __init__(self, address: str, fetcher: Fetcher | None = None, seconds: float = IN_ALL) -> None:
        self._seconds = seconds
        self._address = address.rstrip("/")
        self._server = Fetcher(min(SECONDS, seconds), admits=lambda _: True)
        self._fetcher = fetcher or Fetcher(SECONDS, robots=True)
        warm_up()

    def search(self, query: str, day: date | None, limit: int, flaws: Flaws) -> Iterator[Page]:
        """See ``Archive.search``; of a PDF, each page is one."""
        until, last = monotonic() + self._seconds, day or date.max
        found = [(url, published) for url, published in self._results(query) if (published or last) <= last][:limit]
        parts = (page for page in self._pages(found, flaws, until) if (page.published or last) <= last)
        return (replace(page, number=number) for number, page in enumerate(parts))

    def _results(self, query: str) -> list[tuple[str, date | None]]:
        """Ask the server for addresses and dates; name its engines that did not answer."""
        url = f"{self._address}/search?{urlencode({'q': query[:LONGEST], 'format': 'json'}, errors='replace')}"
        try:
            answer = repaired(self._server.fetch(url, {"application/json": ".json"}).body)
            results = [result for result in answer["results"] if isinstance(result, dict)]
        except FetchError as error:
            remedy = REMEDIES.get(error.status, "expected a running server")
            if "got text/html" in str(error):
                remedy = FORMATS
            raise SearchError(f"SearXNG at {self._address}: {error}; {remedy}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise SearchError(f"SearXNG at {self._address}: expected results as JSON, got something else") from error
        dated = {str(result["url"]): day_of(result.get("publishedDate")) for result in results if result.get("url")}
        if silent := _silent(answer.get("unresponsive_engines")):
            if not dated:
                raise SearchError(f"SearXNG at {self._address}: nothing was searched, engines are blocked ({silent})")
            log.warning("SearXNG at %s: searched without these engines: %s", self._address, silent)
        return list(dated.items())

    def _pages(self, found: Sequence[tuple[str, date | None]], flaws: Flaws, until: float) -> Iterator[Page]:
        """The pages of the results, in their order; those that are not read when the time is up are left out."""
        pool = ThreadPoolExecutor(AT_ONCE)
        reading = [pool.submit(self._read, *result, replace(FOUND, until=until)) for result in found]
        wait(reading, max(0.0, until - monotonic()))
        pool.shutdown(wait=False, cancel_futures=True)  # a thread that still reads is left to its own limits
        for (url, _), future in zip(found, reading, strict=True):
            try:
                yield from future.result(timeout=0)
            except Exception as error:  # noqa: BLE001 - whatever one page does, the others are evidence
                unread = isinstance(error, CancelledError | TimeoutError)
                late = unread or isinstance(error, TookTooLong)
                flaws[Flaw.NOT_IN_TIME if late else Flaw.NOT_FETCHED] += 1
                reason = f"not read within {self._seconds:g} s" if unread else str(error) or type(error).__name__
                log.warning("%s: skipped, %s", url, reason)

    def _read(self, url: str, dated: date | None, limits: Limits) -> list[Page]:
        response = self._fetcher.fetch(url)
        retrieved = datetime.now(UTC).isoformat(timespec="seconds")
        pages = read_document(response.body, response.suffix, response.url, limits, dated=True)
        if not pages:
            raise FetchError("it has no text")
        digest = sha256(response.body).hexdigest()
        return [replace(page, published=dated or page.published, retrieved=retrieved, sha256=digest) for page in pages]


def _silent(engines: object) -> str:
    """The engines that did not answer, each with the reason that the server gives."""
    pairs = engines if isinstance(engines, list) else []
    return "; ".join(": ".join(map(str, pair[:2])) for pair in pairs[:NAMED] if isinstance(pair, list) and pair)
