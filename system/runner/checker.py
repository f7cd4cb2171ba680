"""Who checks the claims of a run: this process, here, or the workers of a cluster (see ``cluster``)."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import orjson

from system.check import Engine
from system.checker import Checker
from system.collection import StoreCollection
from system.graph.records import Claim, ClaimResult, Record
from system.hardware.machine import peak_memory


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


class RunChecker(Protocol):
    """Checks the claims of a run; of each it gives the result, and the graph as JSON.

    ``check`` raises a ``CheckerError`` if no worker is left.
    """

    @property
    def places(self) -> int:
        """Claims that it can hold at a time, those included whose stores are read ahead."""
        ...

    @property
    def workers(self) -> list[WorkerReport]:
        """The workers so far, lost ones included."""
        ...

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """Check a claim."""
        ...


class LocalChecker:
    """One engine with its collection; an async context manager that closes both.

    Args:
        store: folder with one store per claim id, or one file for all.
        claims: all that will be checked.
        load_seconds: what loading the engine took.
        own: whether the store was made of documents of the user's own.
    """

    def __init__(
        self, engine: Engine, store: Path, claims: Sequence[Claim], load_seconds: float = 0.0, *, own: bool = False
    ) -> None:
        self._engine, self._claims = engine, claims
        self._collection = StoreCollection(store, engine.settings, own=own)
        self._batch = Checker(engine).batch(self._collection)
        self.places = self._batch.places
        self._report = WorkerReport(node=platform.node(), pid=os.getpid(), model_load_seconds=load_seconds)

    async def __aenter__(self) -> "LocalChecker":
        await self._collection.open(self._claims)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._collection.close()
        await self._engine.model.close()

    @property
    def workers(self) -> list[WorkerReport]:
        """See ``RunChecker.workers``: only this process."""
        return [self._report]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """See ``RunChecker.check``."""
        checked = await self._batch.check(claim)
        self._count(checked.result)
        return checked.result, orjson.dumps(checked.graph.to_json())

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

    def __init__(self, make_engine: MakeEngine, store: Path, claims: Sequence[Claim], own: bool) -> None:
        self._make_engine = make_engine
        self._store, self._claims, self._own = store, claims, own

    async def load(self) -> WorkerReport:
        """Load the engine; apart from the constructor, whose errors Ray reports without their types."""
        began = time.perf_counter()
        engine = self._make_engine()
        seconds = time.perf_counter() - began
        self._checker = LocalChecker(engine, self._store, self._claims, seconds, own=self._own)
        await self._checker.__aenter__()  # until the process ends
        return self._checker.workers[0]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes, WorkerReport]:
        """Check a claim; with what this worker has done so far."""
        result, graph = await self._checker.check(claim)
        return result, graph, self._checker.workers[0]
