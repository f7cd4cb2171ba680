"""The claims of a run mapped over the actors of a Ray cluster: an engine per GPU, or per share of CPUs.

The driver, which is the run itself, keeps the journal and the graphs; actors hold nothing that cannot be lost. An actor
that is lost, by itself or with its node, gives its claims back and is replaced as soon as the cluster has room. Only
this file imports Ray, and only ``--ray`` imports this file.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import ray
from ray.exceptions import RayError, RayTaskError

from system.check import Engine
from system.graph.graph import Graph
from system.graph.records import Claim, ClaimResult, Cost, Failure, Label, QuestionAnswer, Timing, Verdict
from system.runner.measured import WorkerReport
from system.runner.run import CheckerError, LocalChecker
from system.settings import Settings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when a cluster is started: so it reports to nobody

THIS_MACHINE = "local"
PATIENCE = 10.0  # seconds to reach the head; Ray itself would try for minutes
TRIES = 3  # workers that a claim may lose; last tries are made one at a time, in case one of them is what kills workers

MakeEngine = Callable[[], Engine]
"""Loads an engine on the node that calls it; what it needs must lie there under the same names as everywhere."""

logger = logging.getLogger(__name__)


def connect(address: str) -> None:
    """Join the cluster at an address, or start one of this machine alone.

    Args:
        address: "local", "auto" (the cluster that this machine belongs to), or HOST:PORT of its head.

    Raises:
        CheckerError: there is no such cluster, or it runs another version of Ray or Python.
    """
    options: dict[str, Any] = {"include_dashboard": False} if address == THIS_MACHINE else {}
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
    """How many engines of so many CPUs and GPUs fit on the cluster's nodes, none of them across two.

    Raises:
        CheckerError: not a single one.
    """
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    wanted = {"CPU": cpus, "GPU": gpus}
    room = sum(min(int(node.get(name, 0)) // count for name, count in wanted.items() if count) for node in nodes)
    if not room:
        found = "; ".join(f"{node.get('CPU', 0):g} CPUs and {node.get('GPU', 0):g} GPUs" for node in nodes)
        raise CheckerError(
            f"an engine needs {cpus} CPUs{' and a GPU' if gpus else ''} on one machine, but the cluster's machines "
            f"have {found}; add a machine, or change the number of ranking processes (--workers)"
        )
    return room


class ClusterWorker:
    """An actor: a ``LocalChecker`` in a process of its own on some node. The store is read there, beside the engine."""

    async def load(self, make_engine: MakeEngine, store: Path, claims: Sequence[Claim], own: bool) -> WorkerReport:
        """Load the engine; apart from the constructor, whose errors Ray reports without their types."""
        began = time.perf_counter()
        engine = make_engine()
        self._checker = LocalChecker(engine, store, claims, time.perf_counter() - began, own=own)
        await self._checker.__aenter__()  # until the process ends
        return self._checker.workers[0]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes, WorkerReport]:
        """Check a claim; with what this worker has done so far."""
        result, graph = await self._checker.check(claim)
        return result, graph, self._checker.workers[0]


@dataclass(eq=False)
class _Worker:
    """An actor as the driver sees it, with its last report."""

    actor: Any
    report: WorkerReport = field(default_factory=WorkerReport)


class ClusterChecker:
    """Checks claims like ``LocalChecker``; an async context manager that joins the cluster and leaves it.

    Args:
        address: see ``connect``.
        make_engine: loads an engine; it is pickled, and called on the nodes.
        store: folder with one store per claim id, or one file for all, under the same path on every node.
        claims: all that will be checked.
        own: whether the store was made of documents of the user's own.

    Raises:
        CheckerError: on entering: no such cluster, or no room in it.
    """

    def __init__(
        self,
        address: str,
        make_engine: MakeEngine,
        store: Path,
        claims: Sequence[Claim],
        settings: Settings,
        *,
        own: bool = False,
    ) -> None:
        self._address, self._settings = address, settings
        self._work = make_engine, store.resolve(), claims, own
        self._workers: list[_Worker] = []
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()  # each worker as often as it has places
        self._loading: set[asyncio.Task[None]] = set()
        self._last_tries = asyncio.Lock()

    async def __aenter__(self) -> "ClusterChecker":
        connect(self._address)
        resources = ray.cluster_resources()  # type: ignore[no-untyped-call]
        gpus = int(self._settings.model.backend == "vllm" and resources.get("GPU", 0) >= 1)
        cpus = 1 + self._settings.run.workers  # for itself and each ranking process
        try:
            room = room_for(cpus, gpus)
        except CheckerError:
            ray.shutdown()
            raise
        self._actor = ray.remote(ClusterWorker).options(num_cpus=cpus, num_gpus=gpus)
        self.places = room * self._settings.run.places
        logger.info("%d workers, each with %d CPUs and %d GPUs", room, cpus, gpus)
        for _ in range(room):
            self._start_worker()
        await asyncio.wait(self._loading, return_when=asyncio.FIRST_COMPLETED)  # loading is no part of the run's time
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._loading:
            task.cancel()
        for worker in self._workers:
            ray.kill(worker.actor)
        ray.shutdown()

    @property
    def workers(self) -> list[WorkerReport]:
        """The workers so far, lost ones included."""
        return [worker.report for worker in self._workers]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """See ``LocalChecker.check``: a claim whose worker is lost goes to another.

        Raises:
            CheckerError: no worker is left.
        """
        for left in reversed(range(TRIES)):
            async with nullcontext() if left else self._last_tries:
                if checked := await self._try(claim):
                    return checked
        return _lost(claim, two_labels=self._settings.graph.two_labels)

    async def _try(self, claim: Claim) -> tuple[ClaimResult, bytes] | None:
        """Check a claim on a free worker; None if that worker was lost over it."""
        worker = await self._take()
        try:
            result, graph, report = await worker.actor.check.remote(claim)
        except RayTaskError:  # raised by the worker's own code
            raise
        except RayError as error:
            if not worker.report.lost:  # else another of its claims has seen to it
                logger.warning("lost a worker, its claims go to others: %s", error)
                _lose(worker, error)
                self._start_worker()
            return None
        if not worker.report.lost:
            worker.report = report
        self._free.put_nowait(worker)
        return result, graph

    async def _take(self) -> _Worker:
        """Wait for a place in a worker; those of lost workers are dropped."""
        while (worker := await self._free.get()).report.lost:
            if all(one.report.lost for one in self._workers):
                self._free.put_nowait(worker)  # so that other claims see it too
                raise CheckerError(f"no worker is left: {self._workers[-1].report.lost}")
        return worker

    def _start_worker(self) -> None:
        """Ask for a worker; while the cluster has no room for it, Ray keeps it waiting."""
        self._workers.append(_Worker(self._actor.remote()))
        task = asyncio.create_task(self._load(self._workers[-1]))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)

    async def _load(self, worker: _Worker) -> None:
        """Have a worker load its engine; one that could not load it would not load it the next time either."""
        try:
            worker.report = await worker.actor.load.remote(*self._work)
        except RayError as error:
            _lose(worker, error)
            logger.warning("cannot start a worker: %s", worker.report.lost)
        for _ in range(self._settings.run.places):
            self._free.put_nowait(worker)


def _lose(worker: _Worker, error: RayError) -> None:
    """Note why a worker is lost, and end it: if only the connection was lost, it would keep its GPU."""
    reason = f"{type(error.cause).__name__}: {error.cause}" if isinstance(error, RayTaskError) else str(error)
    worker.report = worker.report.model_copy(update={"lost": " ".join(reason.split())})
    ray.kill(worker.actor)


def _lost(claim: Claim, *, two_labels: bool) -> tuple[ClaimResult, bytes]:
    """The row of a claim that has lost every worker that tried it."""
    verdict = Verdict(
        label=Label.NOT_ENOUGH_EVIDENCE,
        justification="The claim was not judged: its workers were lost.",
        confidence=0.0,
    )
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
