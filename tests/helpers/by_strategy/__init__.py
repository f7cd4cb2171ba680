"""The tests' knowledge of each strategy, a module for each folder, to be deleted with it.

A module may have: ``reply_to``, the ordinary reply to a task; ``tasks``, one of every kind by name; ``CONTENTS`` and
``grow``, its records and a graph of them; ``GATHERING`` and ``SPEAKING``, its strategies over evidence gathered once
and those with speakers of their own; ``NESTED``, tasks with lists in lists, of which a tiny model finds no end;
``RUNS``, a run that each of its settings changes.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]


def all_of(name: str) -> list[Any]:
    """All values that the modules have under a name; of a mapping, its items."""
    found = (getattr(module, name, ()) for module in MODULES)
    return [one for each in found for one in (each.items() if isinstance(each, dict) else each)]


def functions(name: str) -> list[Any]:
    """The modules' functions of a name."""
    return [getattr(module, name) for module in MODULES if hasattr(module, name)]
