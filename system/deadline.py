"""Time as a value: what is left of a claim's budget, passed down to everything that spends it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import TypeVar

T = TypeVar("T")
Clock = Callable[[], float]

TICK = 0.001  # seconds; a timer set for less may fire before the clock shows that it was due


class DeadlineExpired(Exception):
    """An operation used up its share of the budget."""


def longest(budget: float, places: int, limit: float) -> float:
    """Seconds that a claim of a run may take by its own clock: its share and as much again of others', within a limit.

    The rule counts the mean over a run, so a claim may take longer than its budget where others were fast, but a claim
    that takes many times as long hangs. The limit is never below the budget, which a user may have set higher.

    >>> longest(60.0, places=8, limit=300.0), longest(60.0, places=2, limit=300.0), longest(600.0, 1, 300.0)
    (300.0, 240.0, 600.0)
    """
    return min(2 * places * budget, max(limit, budget))


class Allowance:
    """The wall time of a run, which its claims share: the rule counts the mean over the run, not a claim's latency.

    Each claim brings its budget when it begins, and the claims in flight share what is left. So four claims in
    flight have four budgets of latency each, and seconds that fast claims leave pass on to slow ones. A claim is cut
    only once the run has spent the budgets of all claims begun, or after ``longest``; the mean stays below the budget.

    Args:
        budget: seconds a claim may take, on average over the run.
        places: limit of claims in flight.
        clock: monotonic seconds; the run begins now.
        limit: see ``longest``.
    """

    def __init__(self, budget: float, places: int, clock: Clock, limit: float = inf) -> None:
        self._budget = budget
        self._clock = clock
        self._began = clock()
        self._claims = 0
        self.longest = longest(budget, places, limit)
        """Seconds after which a claim is cut however far ahead the run is."""
        self.least = budget / 2
        """Seconds that a claim has in any case: a run that was held up catches up, and no claim pays for it alone."""

    def begin(self) -> None:
        """A claim begins."""
        self._claims += 1

    @property
    def left(self) -> float:
        """Seconds by which the run is ahead of its claims' budgets; negative where it is behind."""
        return self._claims * self._budget - (self._clock() - self._began)


@dataclass(frozen=True)
class Deadline:
    """The end of a claim's budget.

    Args:
        budget: seconds that the claim may take from now.
        reserve: seconds at the end that only the last judgement may use.
        clock: monotonic seconds, of the event loop or of a test.
        allowance: of the run that the claim belongs to, which may end the claim before its budget does.
    """

    budget: float
    reserve: float = 0.0
    clock: Clock = field(kw_only=True)
    allowance: Allowance | None = None
    started: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "started", self.clock())

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    def left(self, *, final: bool = False) -> float:
        """Seconds left, never below 0; in a run they may become more when another claim begins.

        Args:
            final: whether the caller is the last judgement, which may use the reserve.
        """
        left = self.budget - self.spent
        if self.allowance:
            left = min(left, max(self.allowance.left, self.allowance.least - self.spent))
        return max(0.0, left - (0.0 if final else self.reserve))

    @asynccontextmanager
    async def limit(self, *, final: bool = False) -> AsyncIterator[None]:
        """Raise a ``TimeoutError`` in what is awaited inside once no time is left.

        Args:
            final: see ``left``.
        """
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle | None = None

        def look() -> None:
            nonlocal timer
            if left := self.left(final=final):
                timer = loop.call_later(max(left, TICK), look)
            else:
                scope.reschedule(loop.time())

        if not self.left(final=final):
            raise TimeoutError
        async with asyncio.timeout(None) as scope:
            look()
            try:
                yield
            finally:
                if timer:
                    timer.cancel()


class Stopwatch:
    """The time of a claim's operations, against its deadline.

    Attributes:
        timed_out: whether the deadline has ended, or prevented, some of the work.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.timed_out = False
        self._deadline = deadline
        self._spans: dict[str, list[tuple[float, float]]] = {}

    async def within_deadline(self, operation: str, work: Callable[[], Awaitable[T]], *, final: bool = False) -> T:
        """Start work and await it until the deadline; note how long it took.

        Raises:
            DeadlineExpired: no time is left, before or during the work.
        """
        started = self._deadline.spent
        try:
            async with self._deadline.limit(final=final):
                return await work()
        except TimeoutError as error:
            self.timed_out = True
            raise DeadlineExpired(f"{operation}: the claim's budget is spent") from error
        finally:
            self._spans.setdefault(operation, []).append((started, self._deadline.spent))

    def has_time_for(self, *operations: str) -> bool:
        """Whether there is time for these operations if each takes as long as it has for this claim so far."""
        longest = (max((end - start for start, end in self._spans.get(name, ())), default=0.0) for name in operations)
        enough = sum(longest) < self._deadline.left()
        self.timed_out |= not enough
        return enough

    def stages(self) -> dict[str, float]:
        """Seconds by operation during which at least one such operation was under way."""
        return {operation: _covered(spans) for operation, spans in self._spans.items()}


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Length of the union of intervals.

    >>> _covered([(0.0, 2.0), (1.0, 3.0), (5.0, 6.0)])
    4.0
    """
    total, end = 0.0, float("-inf")
    for start, stop in sorted(spans):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total
