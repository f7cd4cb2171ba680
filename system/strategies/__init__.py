"""Strategies, ways to check a claim: each a folder or file here that registers itself, found by looking.

A folder has all that is its own: the strategy, its steps, the tasks with their prompts, the records, the settings.
Deleting it takes nothing else away. ``steps`` has what several share.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable
from importlib import import_module
from pkgutil import walk_packages

from system.case import Case, Outcome
from system.settings import SECTIONS, Settings
from system.tasks.base import Reply, Task, registered

Strategy = Callable[[Case], Awaitable[Outcome]]

STRATEGIES: dict[str, Strategy] = {}
"""The strategies by the names that users give."""

SEARCHING: set[str] = set()
"""Those of them that are nothing without evidence to search in."""

Asks = Callable[[Settings], Iterable[type[Task[Reply]]]]
_ASKS: dict[str, Asks] = {}
_USES: dict[str, Collection[str] | None] = {}
OF_ALL = ("model", "engine", "retrieval", "multi_hop", "reading", "run")
"""Sections of settings that every strategy obeys."""


def strategy(
    name: str, asks: Asks | None = None, *, searching: bool = False, uses: Collection[str] | None = None
) -> Callable[[Strategy], Strategy]:
    """Register a strategy under a name; a decorator.

    Args:
        asks: the tasks that it may ask under given settings, so that no model is loaded for others; any unless told.
        searching: whether it is a search for evidence and nothing else, so that it cannot be run without any.
        uses: the settings of the graph, of debates and of single strategies that it obeys; all unless told.
    """

    def register(check: Strategy) -> Strategy:
        if name in STRATEGIES:
            raise ValueError(f"two strategies are called {name!r}")
        STRATEGIES[name] = check
        _ASKS[name] = asks or (lambda settings: registered())
        _USES[name] = uses
        SEARCHING.update([name] if searching else [])
        return check

    return register


def unused(name: str, given: Iterable[str]) -> list[str]:
    """The settings among some that have no effect on a strategy."""
    if (uses := _USES[name]) is None:
        return []
    chosen = {each for section, fields in SECTIONS.items() if section not in OF_ALL for each in fields.model_fields}
    return sorted({*given} & chosen - {*uses, "two_labels"})


def asked_by(settings: Settings) -> list[type[Task[Reply]]]:
    """The tasks that the strategy of the settings may ask, of claims in a store and of a user's documents."""
    both = (_ASKS[settings.strategy](each) for each in (settings, settings.for_documents()))
    return list(dict.fromkeys(task for tasks in both for task in tasks))


for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
