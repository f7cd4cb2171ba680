"""Searchers: where evidence comes from when there is no store."""


class SearchError(Exception):
    """A search cannot be made; the message says why and what to do."""
