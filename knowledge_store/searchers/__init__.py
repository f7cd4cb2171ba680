"""Searchers: where evidence comes from when there is no store."""

from collections.abc import Iterator
from datetime import date
from typing import Protocol

from knowledge_store.pages.page import Flaws, Page


class SearchError(Exception):
    """A search cannot be made; the message says why and what to do."""


class Searcher(Protocol):
    """Finds pages."""

    def search(self, query: str, day: date | None, limit: int, flaws: Flaws) -> Iterator[Page]:
        """Yield the pages that may bear on a query, best first, numbered from 0.

        Args:
            day: pages that are known to be published later are left out; None admits all.
            limit: the most pages to return.
            flaws: counts pages that were found but cannot be read.

        Raises:
            SearchError: there is no answer.
        """
