"""Time as a value: what is left of a claim's budget, passed down to everything that spends it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Clock = Callable[[], float]


class DeadlineExpired(Exception):
    """An operation ran into the end of its share of the budget."""


@dataclass(frozen=True)
class Deadline:
    """The end of a claim's budget.

    Args:
        budget: seconds that the claim may take from now.
        reserve: seconds at the end that only the last judgement may use.
        clock: monotonic seconds; tests pass their own.
    """

    budget: float
    reserve: float = 0.0
    clock: Clock = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "started", self.clock())

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    def left(self, *, final: bool = False) -> float:
        """Seconds left, never below 0.

        Args:
            final: whether the caller is the last judgement, which may use the reserve.
        """
        return max(0.0, self.budget - self.spent - (0.0 if final else self.reserve))
