"""Strategies: short functions over operations that read like the figures of their papers."""

from collections.abc import Awaitable, Callable

from system.case import Case, Outcome
from system.strategies.baselines import baseline, cooperation, debatecv, majority, single
from system.strategies.carp import carp
from system.strategies.consultancy import ai_debate, consultancy
from system.strategies.got import got

Strategy = Callable[[Case], Awaitable[Outcome]]

STRATEGIES: dict[str, Strategy] = {
    "got": got,
    "debatecv": debatecv,
    "carp": carp,
    "consultancy": consultancy,
    "ai_debate": ai_debate,
    "single": single,
    "majority": majority,
    "cooperation": cooperation,
    "baseline": baseline,
}
