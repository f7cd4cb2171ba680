"""Strategies: short functions over operations that read like the figures of their papers."""

from collections.abc import Awaitable, Callable

from system.case import Case, Outcome
from system.strategies.got import got

Strategy = Callable[[Case], Awaitable[Outcome]]

STRATEGIES: dict[str, Strategy] = {"got": got}
