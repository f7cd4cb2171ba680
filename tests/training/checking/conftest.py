"""The tiny model and its data sets."""

from tiny_training import chat, data, lines, maker, tiny, verdicts

__all__ = ["chat", "data", "lines", "maker", "tiny", "verdicts"]
