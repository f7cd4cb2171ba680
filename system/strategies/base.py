"""What a strategy is, and how it is found by its name."""

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from system.case import Case, Outcome
from system.graph.records import Record, explain
from system.settings import SECTIONS, Settings, SettingsError
from system.strategies import STRATEGIES
from system.tasks.base import Reply, Task, registered

Check = Callable[[Case], Awaitable[Outcome]]
O = TypeVar("O", bound=Record)  # noqa: E741

OF_ALL = ("model", "engine", "retrieval", "reading", "run")  # sections of settings that every strategy obeys


@dataclass(frozen=True)
class Strategy:
    """A way to check a claim; call it with a case."""

    check: Check  #: the function itself
    #: the tasks that it may ask under given settings, so that no model is loaded for others; None: any
    asks: Callable[[Settings], Iterable[type[Task[Reply]]]] | None = None
    searching: bool = False  #: whether it is a search for evidence and nothing else, so that it cannot run without any
    uses: Collection[str] | None = None  #: the settings of the graph and of debates that it obeys; None: all of them
    options: type[Record] = Record  #: the record of what can be set for this strategy alone (setting ``options``)

    def __call__(self, case: Case) -> Awaitable[Outcome]:
        """Check the claim of a case."""
        return self.check(case)


def strategy(**attributes: Any) -> Callable[[Check], Strategy]:
    """Make a strategy of a function; a decorator. See ``Strategy`` for the attributes."""
    return partial(Strategy, **attributes)


@cache
def named(name: str) -> Strategy:
    """Import the strategy of a name."""
    module, _, function = STRATEGIES[name].partition(":")
    return cast("Strategy", getattr(import_module(f"system.strategies.{module}"), function))


def options_of(case: Case, kind: type[O]) -> O:
    """Return the options of the case's strategy; ``asked_by`` has checked them."""
    return kind.model_validate(case.settings.options)


def unused(name: str, given: Iterable[str]) -> list[str]:
    """Return the settings among some that have no effect on a strategy."""
    if (uses := named(name).uses) is None:
        return []
    chosen = {each for section, fields in SECTIONS.items() if section not in OF_ALL for each in fields.model_fields}
    return sorted({*given} & chosen - {*uses, "two_labels"})


def asked_by(settings: Settings) -> list[type[Task[Reply]]]:
    """Return the tasks that the strategies of the settings may ask, of claims in a store and of a user's documents.

    Raises:
        SettingsError: the strategy cannot run with its settings.
    """
    chosen = named(settings.strategy)
    try:
        chosen.options.model_validate(settings.options)
    except ValidationError as error:
        known = ", ".join(chosen.options.model_fields) or "none"
        faults = "; ".join(explain(fault) for fault in error.errors())
        raise SettingsError(f"options of strategy {settings.strategy} ({known}): {faults}") from error
    if settings.debate.evidence == "none" and chosen.searching:
        others = ", ".join(sorted(name for name in STRATEGIES if not named(name).searching))
        raise SettingsError(
            f"debate.evidence: none leaves {settings.strategy} nothing to do, it is a search for evidence; expected "
            f"retrieved or gold, or a strategy that can do without: {others}"
        )
    both = [(each, named(each.strategy).asks) for each in (settings, settings.for_documents())]
    return list(dict.fromkeys(task for each, asks in both for task in (asks(each) if asks else registered())))
