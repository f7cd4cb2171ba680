"""What runs on the cluster's nodes: an engine with its ranking processes, as a Ray actor."""

import time
from collections.abc import Callable
from pathlib import Path

from system.check import Engine
from system.records import Claim, ClaimResult
from system.runner.checker import LocalChecker, WorkerReport

MakeEngine = Callable[[], Engine]
"""Loads an engine on the node that calls it; what it needs must lie there under the same names as everywhere."""


class ClusterWorker:
    """A ``LocalChecker`` in a process of its own on some node. The store is read there, beside the engine."""

    def __init__(self, make_engine: MakeEngine, store: Path) -> None:
        self._make_engine = make_engine
        self._store = store

    async def load(self) -> WorkerReport:
        """Load the engine; apart from the constructor, whose errors Ray reports without their types."""
        began = time.perf_counter()
        engine = self._make_engine()
        self._checker = LocalChecker(engine, self._store, time.perf_counter() - began)
        return self._checker.workers[0]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes, WorkerReport]:
        """Check a claim; with what this worker has done so far."""
        result, graph = await self._checker.check(claim)
        return result, graph, self._checker.workers[0]
