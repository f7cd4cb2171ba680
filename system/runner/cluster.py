"""The claims of a run mapped over the actors of a Ray cluster: an engine per GPU, or per share of CPUs.

The driver, which is the run itself, keeps the journal and the graphs; actors hold nothing that cannot be lost. An actor
that is lost, by itself or with its node, gives its claims back and is replaced as soon as the cluster has room. Only
this file imports Ray, and only ``--ray`` imports this file.

    async with ClusterChecker("auto", partial(load_engine, settings), store, claims, settings) as checker:
        results = await run(checker, claims, output, journal)
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

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


class Share(NamedTuple):
    """Resources of a node that one engine and its ranking processes reserve."""

    cpus: int
    gpus: int

    def __str__(self) -> str:
        return f"{self.cpus} CPUs" + (f" and {self.gpus} GPU" if self.gpus else "")


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


def share_of(settings: Settings) -> Share:
    """Resources of an engine: a GPU where its backend can use one and the cluster has some; a CPU for itself and one
    for each ranking process.
    """
    resources = ray.cluster_resources()  # type: ignore[no-untyped-call]
    uses_gpu = settings.model.backend == "vllm" and resources.get("GPU", 0) >= 1
    return Share(cpus=1 + settings.run.workers, gpus=int(uses_gpu))


def room_for(share: Share) -> int:
    """How many engines fit on the cluster's nodes, none of them across two.

    Raises:
        CheckerError: not a single one.
    """
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    room = sum(engines_on(node, share) for node in nodes)
    if not room:
        found = "; ".join(f"{node.get('CPU', 0):g} CPUs and {node.get('GPU', 0):g} GPUs" for node in nodes)
        raise CheckerError(
            f"an engine needs {share} on one machine, but the cluster's machines have {found}; "
            "add a machine, or change the number of ranking processes (--workers)"
        )
    return room


def engines_on(node: dict[str, float], share: Share) -> int:
    """How many engines fit on a node.

    >>> engines_on({"CPU": 16.0, "GPU": 2.0}, Share(cpus=5, gpus=1))
    2
    >>> engines_on({"CPU": 16.0}, Share(cpus=5, gpus=0))
    3
    """
    by_cpus = int(node.get("CPU", 0)) // share.cpus
    return min(by_cpus, int(node.get("GPU", 0)) // share.gpus) if share.gpus else by_cpus


class ClusterWorker:
    """An actor: a ``LocalChecker`` in a process of its own on some node. The store is read there, beside the engine."""

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


@dataclass(eq=False)
class _Worker:
    """An actor as the driver sees it.

    Attributes:
        report: its last report.
        loaded: whether its engine is.
        busy: claims that it has now.
    """

    actor: Any
    report: WorkerReport = field(default_factory=WorkerReport)
    loaded: bool = False
    busy: int = 0

    def lose(self, error: RayError) -> None:
        """Note why it is lost, and end it."""
        self.report = self.report.model_copy(update={"lost": _reason(error)})
        ray.kill(self.actor)  # if only the connection was lost, it would live on and keep its GPU


class ClusterChecker:
    """A ``RunChecker`` over a cluster; an async context manager that joins the cluster and leaves it.

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
        self._address = address
        self._work = make_engine, store.resolve(), claims, own
        self._settings = settings
        self._each = settings.run.places
        self._workers: list[_Worker] = []
        self._loading: set[asyncio.Task[None]] = set()
        self._last_tries = asyncio.Lock()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> "ClusterChecker":
        connect(self._address)
        try:
            self._share = share_of(self._settings)
            room = room_for(self._share)
        except CheckerError:
            ray.shutdown()
            raise
        self.places = room * self._each
        logger.info("%d workers, each with %s", room, self._share)
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
        """See ``RunChecker.workers``."""
        return [worker.report for worker in self._workers]

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """See ``RunChecker.check``: a claim whose worker is lost goes to another."""
        for _ in range(TRIES - 1):
            if checked := await self._try(claim):
                return checked
        async with self._last_tries:
            return await self._try(claim) or _lost(claim, two_labels=self._settings.graph.two_labels)

    async def _try(self, claim: Claim) -> tuple[ClaimResult, bytes] | None:
        """Check a claim on the worker with the fewest claims; None if that worker was lost over it."""
        worker = await self._least_busy()
        worker.busy += 1
        try:
            result, graph, report = await worker.actor.check.remote(claim)
        except RayTaskError:  # raised by the worker's own code
            raise
        except RayError as error:
            self._replace(worker, error)
            return None
        finally:
            worker.busy -= 1
            self._wake()
        if not worker.report.lost:
            worker.report = report
        return result, graph

    async def _least_busy(self) -> _Worker:
        while True:
            left = [worker for worker in self._workers if not worker.report.lost]
            if not left:
                raise CheckerError(f"no worker is left: {self._workers[-1].report.lost}")
            if free := [worker for worker in left if worker.loaded and worker.busy < self._each]:
                return min(free, key=lambda worker: worker.busy)
            await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _start_worker(self) -> None:
        """Ask for a worker; while the cluster has no room for it, Ray keeps it waiting."""
        cpus, gpus = self._share
        worker = _Worker(ray.remote(ClusterWorker).options(num_cpus=cpus, num_gpus=gpus).remote(*self._work))
        self._workers.append(worker)
        task = asyncio.create_task(self._load(worker))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)

    async def _load(self, worker: _Worker) -> None:
        """Have a worker load its engine; one that could not load it would not load it the next time either."""
        try:
            worker.report = await worker.actor.load.remote()
            worker.loaded = True
        except RayError as error:
            worker.lose(error)
            left = sum(not other.report.lost for other in self._workers)
            logger.warning("cannot start a worker, %d left: %s", left, worker.report.lost)
        self._wake()

    def _replace(self, worker: _Worker, error: RayError) -> None:
        if worker.report.lost:  # another of its claims has seen to it
            return
        worker.lose(error)
        logger.warning(
            "lost worker %d on %s, its claims go to others: %s", worker.report.pid, worker.report.node, error
        )
        self._start_worker()


def _reason(error: RayError) -> str:
    if isinstance(error, RayTaskError):
        return f"{type(error.cause).__name__}: {error.cause}"
    return " ".join(str(error).split())


def _lost(claim: Claim, *, two_labels: bool) -> tuple[ClaimResult, bytes]:
    """The row of a claim that has lost every worker that tried it."""
    expected = f"lost {TRIES} workers in turn while they checked this claim"
    failures = (
        Failure(operation="worker", message=expected),
        Failure(
            operation="final verdict",
            message="expected a verdict of at least one branch, but the workers were lost",
            unanswered=True,
        ),
    )
    verdict = Verdict(
        label=Label.NOT_ENOUGH_EVIDENCE,
        justification="The claim was not judged: its workers were lost.",
        confidence=0.0,
    )
    verdict = verdict.of_two if two_labels else verdict
    graph = Graph(claim)
    graph.add(verdict, [graph.root], "final verdict")
    result = ClaimResult(
        claim=claim,
        verdict=verdict,
        pairs=(QuestionAnswer.unanswered(claim.text),),
        timing=Timing(seconds=0.0, stages={}, cost=Cost(), rounds=0, branches=0, cut_short=False),
        failures=failures,
    )
    return result, orjson.dumps(graph.to_json())
