"""The second stage: the passages nearest in meaning to a question."""
