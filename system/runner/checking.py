"""Many claims with one engine: the one way in which runs, the library and comparisons check them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Protocol, TypeVar

from knowledge_store.ranking import RankedStore
from system.check import Engine, check
from system.deadline import Allowance
from system.graph.graph import Graph
from system.graph.records import Claim, ClaimResult, Failure

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Rank = Callable[[Claim], Awaitable[tuple[RankedStore, list[Failure]]]]
"""Ranks a claim's store; one that cannot be read is an empty one and a named failure."""


class Checks(Protocol[T_co]):
    """Whoever checks claims, several at a time."""

    @property
    def places(self) -> int:
        """Claims that it can hold at a time, those included whose stores are read ahead."""
        ...

    async def check(self, claim: Claim) -> T_co:
        """Check a claim; whatever becomes of it is a result."""
        ...


class PooledChecks:
    """Checks by one engine, whose claims share the time of the run.

    A claim's store is ranked while the model works on other claims, and no claim's clock contains it.
    """

    def __init__(self, engine: Engine, rank: Rank) -> None:
        run = engine.settings.run
        self.places = run.max_concurrent_claims + run.prefetch
        self._engine = engine
        self._rank = rank
        self._working = asyncio.Semaphore(run.max_concurrent_claims)
        self._allowance: Allowance | None = None  # from the first claim on

    async def check(self, claim: Claim) -> tuple[ClaimResult, Graph]:
        """See ``Checks.check``."""
        run = self._engine.settings.run
        allowance = self._allowance = self._allowance or Allowance(
            run.budget, run.max_concurrent_claims, asyncio.get_running_loop().time, run.claim_limit
        )
        ranked, failures = await self._rank(claim)
        async with self._working:
            allowance.begin()
            return await check(self._engine, claim, ranked, failures, allowance=allowance)


async def check_all(checks: Checks[T], claims: Iterable[Claim], *, in_order: bool = False) -> AsyncGenerator[T, None]:
    """Check claims, as many at a time as there are places; yield each as it is done.

    Closing the iterator ends what is under way.

    Args:
        in_order: yield each only once those before it are done.

    Raises:
        Exception: the first that checking a claim raises; it ends the others.
    """
    places = asyncio.Semaphore(checks.places)  # bounds the ranked stores in memory
    done: asyncio.Queue[int] = asyncio.Queue()

    async def checked(turn: int, claim: Claim) -> T:
        try:
            async with places:
                return await checks.check(claim)
        finally:
            done.put_nowait(turn)

    tasks = {turn: asyncio.create_task(checked(turn, claim)) for turn, claim in enumerate(claims)}
    try:
        for turn in [*tasks]:
            ended = turn if in_order else await done.get()
            yield await tasks[ended]
            del tasks[ended]  # and the graph with it
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
