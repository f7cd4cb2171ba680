"""Who checks the claims of a run: this process, here, or the workers of a cluster (see ``cluster``)."""

import asyncio
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import orjson

from system.check import Engine
from system.correction.correcting import with_correction
from system.graph.records import Claim, ClaimResult, Record
from system.hardware.machine import peak_memory
from system.runner.checking import Checks, PooledChecks
from system.runner.ranking_pool import RankingPool


class CheckerError(Exception):
    """No claim can be checked any more, or none ever could; what is finished is in the journal."""


class WorkerReport(Record):
    """Work of one process with an engine in this part of the run.

    Attributes:
        node: name of its machine.
        claims: how many it has finished.
        seconds: sum of their seconds; claims that were in flight together count in full.
        lost: why it stopped before the run did; empty for a worker that did not.
    """

    node: str
    pid: int
    model_load_seconds: float
    claims: int = 0
    seconds: float = 0.0
    peak_memory_gib: float = 0.0
    lost: str = ""


class Checker(Checks[tuple[ClaimResult, bytes]], Protocol):
    """Checks the claims of a run; of each it gives the result, and the graph as JSON.

    ``check`` raises a ``CheckerError`` where there is nobody left to check a claim.
    """

    @property
    def workers(self) -> list[WorkerReport]:
        """The workers so far, lost ones included."""
        ...


class LocalChecker:
    """One engine with its ranking processes; an async context manager that closes both.

    Args:
        store: folder with one store per claim id, or one file for all.
        claims: all that will be checked.
        load_seconds: what loading the engine took.
    """

    def __init__(self, engine: Engine, store: Path, claims: Sequence[Claim], load_seconds: float = 0.0) -> None:
        settings = engine.settings.run
        self._engine = engine
        self._ranking = ExitStack()
        pool = self._ranking.enter_context(RankingPool(engine.settings.retrieval, settings.workers, settings.budget))
        self._checks = PooledChecks(engine, self._ranking.enter_context(pool.for_claims(store, claims)))
        self.places = self._checks.places
        self._report = WorkerReport(node=platform.node(), pid=os.getpid(), model_load_seconds=load_seconds)

    async def __aenter__(self) -> "LocalChecker":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ranking.close()
        await self._engine.model.close()

    @property
    def workers(self) -> list[WorkerReport]:
        """See ``Checker.workers``: this process alone."""
        return [self._report]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """See ``Checks.check``."""
        result, graph = await self._checks.check(claim)
        result = await asyncio.to_thread(with_correction, result, self._engine.reader.verifier)
        self._count(result)
        return result, orjson.dumps(graph.to_json())

    def _count(self, result: ClaimResult) -> None:
        before = self._report
        self._report = before.model_copy(
            update={
                "claims": before.claims + 1,
                "seconds": before.seconds + result.timing.seconds,
                "peak_memory_gib": peak_memory(),
            }
        )


MakeEngine = Callable[[], Engine]
"""Loads an engine on the node that calls it; what it needs must lie there under the same names as everywhere."""


class ClusterWorker:
    """A ``LocalChecker`` in a process of its own on some node. The store is read there, beside the engine."""

    def __init__(self, make_engine: MakeEngine, store: Path, claims: Sequence[Claim]) -> None:
        self._make_engine = make_engine
        self._store = store
        self._claims = claims

    async def load(self) -> WorkerReport:
        """Load the engine; apart from the constructor, whose errors Ray reports without their types."""
        began = time.perf_counter()
        engine = self._make_engine()
        self._checker = LocalChecker(engine, self._store, self._claims, time.perf_counter() - began)
        return self._checker.workers[0]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes, WorkerReport]:
        """Check a claim; with what this worker has done so far."""
        result, graph = await self._checker.check(claim)
        return result, graph, self._checker.workers[0]
