"""The tiny model and its data sets; lies here too so that the folders below find ``training_claims``."""

from tests.helpers.tiny_training import chat, data, lines, verdicts

__all__ = ["chat", "data", "lines", "verdicts"]
