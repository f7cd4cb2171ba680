"""The claims of a run mapped over the actors of a Ray cluster: an engine per GPU, or per share of CPUs.

The driver, which is the run itself, keeps the journal and the graphs; actors hold nothing that cannot be lost. If an
actor is lost, by itself or with its node, its claims go to others, and Ray restarts it as soon as the cluster has room.
Only this file imports Ray, and only ``--ray`` imports this file.

    async with ClusterChecker("auto", partial(load_engine, settings), store, claims, settings) as checker:
        results = await run(checker.check, checker.places, claims, output, journal)
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import orjson
import ray
from ray.exceptions import ObjectLostError, RayActorError

from system.check import Engine
from system.graph.graph import Graph
from system.graph.records import Claim, ClaimResult, Cost, Failure, Label, QuestionAnswer, Timing, Verdict
from system.runner.measured import WorkerReport
from system.runner.run import CheckerError, LocalChecker
from system.settings import Settings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when a cluster is started: so it reports to nobody

PATIENCE = 10.0  # seconds to reach the head; Ray itself would try for minutes
PAUSE = 0.5  # seconds until a claim looks again for a worker that is not restarting
TRIES = 3  # workers that a claim may lose; last tries are made one at a time, in case one of them is what kills workers

logger = logging.getLogger(__name__)


def connect(address: str) -> None:
    """Join the cluster at an address: "local" (a new one of this machine), "auto" (this machine's), or HOST:PORT."""
    options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    try:
        if ":" in address:
            host, port = address.rsplit(":", 1)
            socket.create_connection((host, int(port)), PATIENCE).close()
        ray.init(address, log_to_driver=False, logging_level=logging.WARNING, **options)
    except (OSError, ValueError, RuntimeError) as error:
        raise CheckerError(
            f"no Ray cluster at {address!r} ({error}); start one with 'ray start --head --disable-usage-stats', "
            "or leave the address out to use this machine alone"
        ) from error


def room_for(cpus: int, gpus: int) -> int:
    """Return how many engines fit on the cluster's nodes, none of them across two; ``CheckerError`` if none does."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    needs = {"CPU": cpus, "GPU": gpus} if gpus else {"CPU": cpus}
    room = sum(min(int(node.get(name, 0)) // count for name, count in needs.items()) for node in nodes)
    if not room:
        found = "; ".join(f"{node.get('CPU', 0):g} CPUs and {node.get('GPU', 0):g} GPUs" for node in nodes)
        raise CheckerError(
            f"an engine needs {cpus} CPUs{' and a GPU' if gpus else ''} on one machine, but the cluster's machines "
            f"have {found}; add a machine, or change the number of ranking processes (--workers)"
        )
    return room


class ClusterWorker:
    """An actor: a ``LocalChecker`` on some node, which loads the engine and reads the store there."""

    def __init__(self, make_engine: Callable[[], Engine], store: Path, claims: Sequence[Claim], own: bool) -> None:
        began = time.perf_counter()
        engine = make_engine()
        self._checker = LocalChecker(engine, store, claims, time.perf_counter() - began, own=own)
        self._opening: asyncio.Task[LocalChecker] | None = None

    async def ready(self) -> WorkerReport:
        """Open the store, which stays open until the process ends."""
        self._opening = self._opening or asyncio.create_task(self._checker.__aenter__())
        await self._opening
        return self._checker.workers[0]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes, WorkerReport]:
        """Check a claim; return its result and graph with what this worker has done so far."""
        return *await self._checker.check(claim), self._checker.workers[0]


class ClusterChecker:
    """Checks claims like ``LocalChecker``; an async context manager that joins the cluster and leaves it.

    ``make_engine`` is called on the nodes. What it loads, and the store, must have the same path on every node.
    Entering raises ``CheckerError`` if there is no such cluster, no room in it, or no engine can be loaded.
    """

    def __init__(
        self,
        address: str,
        make_engine: Callable[[], Engine],
        store: Path,
        claims: Sequence[Claim],
        settings: Settings,
        *,
        own: bool = False,
    ) -> None:
        self._address, self._settings = address, settings
        self._work = make_engine, store.resolve(), claims, own
        self._workers: list[Any] = []
        self._free: asyncio.Queue[Any] = asyncio.Queue()  # each worker as often as it has places
        self._reports: dict[tuple[str, int], WorkerReport] = {}
        self._last_tries = asyncio.Lock()

    async def __aenter__(self) -> "ClusterChecker":
        connect(self._address)
        try:
            found = ray.cluster_resources()  # type: ignore[no-untyped-call]
            gpus = int(self._settings.model.backend == "vllm" and found.get("GPU", 0) >= 1)
            cpus = 1 + self._settings.run.workers  # for itself and each ranking process
            room = room_for(cpus, gpus)
            logger.info("%d workers, each with %d CPUs and %d GPUs", room, cpus, gpus)
            actor = ray.remote(ClusterWorker).options(num_cpus=cpus, num_gpus=gpus, max_restarts=-1)
            self._workers = [actor.remote(*self._work) for _ in range(room)]
            self.places = room * self._settings.run.places
            for worker in self._workers * self._settings.run.places:
                self._free.put_nowait(worker)
            self._free.put_nowait(await self._take())  # loading is no part of the run's time
        except BaseException:
            ray.shutdown()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._workers:
            ray.kill(worker)
        ray.shutdown()

    @property
    def workers(self) -> list[WorkerReport]:
        """The processes that have loaded an engine so far, lost ones included."""
        return [*self._reports.values()]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """See ``LocalChecker.check``; a lost worker's claim goes to another. Raise ``CheckerError`` if none is left."""
        for left in reversed(range(TRIES)):
            async with nullcontext() if left else self._last_tries:
                worker = await self._take()
                try:
                    result, graph, report = await worker.check.remote(claim)
                except (RayActorError, ObjectLostError) as error:
                    logger.warning("claim %s goes to another worker, its own was lost: %s", claim.id, error)
                    continue
                finally:
                    self._free.put_nowait(worker)
                self._reports[report.node, report.pid] = report
                return result, graph
        return _lost(claim, two_labels=self._settings.graph.two_labels)

    async def _take(self) -> Any:
        """Wait for a place in a worker that is loaded; a worker that could not load its engine is given up."""
        while True:
            worker = await self._free.get()
            try:
                report = await worker.ready.remote()
            except RayActorError as error:
                if not error.actor_init_failed:  # it is restarting, or waits for a node: another may be free
                    await asyncio.sleep(PAUSE)
                    self._free.put_nowait(worker)
                elif worker in self._workers:
                    reason = str(error).strip().splitlines()[-1]
                    logger.warning("cannot start a worker: %s", reason)
                    self._workers.remove(worker)
                    if not self._workers:
                        raise CheckerError(f"no worker is left: {reason}") from error
            else:
                self._reports[report.node, report.pid] = report
                return worker


def _lost(claim: Claim, *, two_labels: bool) -> tuple[ClaimResult, bytes]:
    """Return the row of a claim that has lost every worker that tried it."""
    reason = "The claim was not judged: its workers were lost."
    verdict = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=reason, confidence=0.0)
    verdict = verdict.of_two if two_labels else verdict
    graph = Graph(claim)
    graph.add(verdict, [graph.root], "final verdict")
    lost = Failure(operation="worker", message=f"lost {TRIES} workers that checked this claim in turn", unanswered=True)
    result = ClaimResult(
        claim=claim,
        verdict=verdict,
        pairs=(QuestionAnswer.unanswered(claim.text),),
        timing=Timing(seconds=0.0, stages={}, cost=Cost(), rounds=0, branches=0, cut_short=False),
        failures=(lost,),
    )
    return result, orjson.dumps(graph.to_json())
