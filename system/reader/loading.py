"""Readers by their names."""

from functools import cache
from pathlib import Path

from system.reader.base import Reader

BUNDLED = "mpnet"


def load_reader(name: str = BUNDLED) -> Reader:
    """Load the bundled reader, or any sentence-pair model in a folder or on the model hub; each is loaded once.

    Raises:
        ReaderUnavailable: no such model, damaged files, or labels other than those of entailment.
    """
    return _load(name)


@cache  # behind the default, so that a name and its omission share one reader
def _load(name: str) -> Reader:
    if name == BUNDLED:
        from system.reader.openvino import OpenVinoReader

        return OpenVinoReader(Path(__file__).parent / BUNDLED)
    from system.reader.hub import HubReader

    return HubReader(name)
