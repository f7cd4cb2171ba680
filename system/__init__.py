"""The engine: graph, operations, strategies, models and runner; ``FactChecker`` is the whole of it as a library."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from system.api import Checked, FactChecker
    from system.records import Claim, Label

__version__ = "0.1.0"
__all__ = ["Checked", "Claim", "FactChecker", "Label"]

HOMES = {"Checked": "api", "FactChecker": "api", "Claim": "records", "Label": "records"}


def __getattr__(name: str) -> Any:
    """Import what is asked for, and only then: the models' libraries take seconds."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
