"""Searchers: where evidence comes from when there is no store."""
