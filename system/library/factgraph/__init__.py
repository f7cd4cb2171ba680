"""Fact-checking with a Graph of Thoughts, as a library: ``FactChecker`` checks claims, texts and citations.

This is all that is public; what lies beneath it, in ``system`` and the other packages, may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from system import __version__ as __version__

if TYPE_CHECKING:
    from factgraph.names import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Import the public names when the first of them is used: the models' libraries take seconds."""
    if name == "names" or name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("factgraph.names"), name)


def __dir__() -> list[str]:
    names = dir(import_module("factgraph.names"))
    return sorted(["__version__", *(name for name in names if not name.startswith("_"))])
