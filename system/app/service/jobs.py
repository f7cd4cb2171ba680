"""Jobs: claims that wait, are checked, or are done; a bounded number of each.

What outlives the process lies in one SQLite file: jobs that have ended, and the names of those that had not.
"""

import asyncio
import logging
import math
import secrets
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from pydantic import TypeAdapter

from system.app.service.schema import Progress, State
from system.app.service.worker import Order
from system.graph import Listener
from system.records import Claim, ClaimResult, Content
from system.thoughts import Thought

TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, claim TEXT NOT NULL, budget REAL NOT NULL, state TEXT NOT NULL, thoughts BLOB, result BLOB)"""
THOUGHTS = TypeAdapter(list[Thought[Any]])
Kept = tuple[str, Claim, float, State, list[Thought[Content]], ClaimResult | None]


class Archive:
    """The file; each change is on disk before the call returns. One service, and one thread at a time, may use it.

    Args:
        file: made where it is not there; None keeps nothing beyond the process.

    Raises:
        sqlite3.Error: the file cannot be read or written, or another service has it.
    """

    def __init__(self, file: Path | None) -> None:
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(file or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute(TABLE)
        unfinished = (State.LOST, State.QUEUED)
        self._database.execute("UPDATE jobs SET state = ? WHERE state = ?", unfinished)

    def begin(self, job_id: str, claim: Claim, budget: float) -> None:
        """Keep the name of a job that is to be done."""
        row = (job_id, claim.model_dump_json(), budget, State.QUEUED)
        self._database.execute("INSERT INTO jobs (id, claim, budget, state) VALUES (?, ?, ?, ?)", row)

    def end(self, job_id: str, state: State, thoughts: list[Thought[Content]], result: ClaimResult | None) -> None:
        """Keep what became of a job."""
        drawn = orjson.dumps([thought.model_dump(mode="json") for thought in thoughts])
        row = (state, drawn, result.model_dump_json() if result else None, job_id)
        self._database.execute("UPDATE jobs SET state = ?, thoughts = ?, result = ? WHERE id = ?", row)

    def forget(self, job_id: str) -> None:
        """Drop a job."""
        self._database.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

    def __iter__(self) -> Iterator[Kept]:
        """The jobs that are kept, oldest first; those that had not ended are lost."""
        rows = self._database.execute("SELECT id, claim, budget, state, thoughts, result FROM jobs ORDER BY rowid")
        for job_id, claim, budget, state, thoughts, result in rows.fetchall():
            known = THOUGHTS.validate_json(thoughts) if thoughts else []
            found = ClaimResult.model_validate_json(result) if result else None
            yield job_id, Claim.model_validate_json(claim), budget, State(state), known, found

    def close(self) -> None:
        """Close the file."""
        self._database.close()


SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90, 120)


class Metrics:
    """What is counted, for Prometheus: each service has a registry of its own, so several can share a process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.rejected = Counter(
            "factcheck_rejected", "Claims rejected because the queue was full", registry=self.registry
        )
        self._claims = Counter("factcheck_claims", "Claims ended, by state", ["state"], registry=self.registry)
        self._labels = Counter("factcheck_verdicts", "Verdicts by label", ["label"], registry=self.registry)
        self._failures = Counter(
            "factcheck_failures",
            "Failed operations that did not fail their claim",
            ["operation"],
            registry=self.registry,
        )
        self._cut_short = Counter("factcheck_cut_short", "Claims cut short by their deadline", registry=self.registry)
        self._tokens = Counter("factcheck_tokens", "Model tokens, by direction", ["direction"], registry=self.registry)
        self._seconds = Histogram(
            "factcheck_claim_seconds",
            "Seconds per claim, excluding its wait in the queue",
            buckets=SECONDS,
            registry=self.registry,
        )
        self._done, self._spent = 0, 0.0

    def watch(self, queued: Callable[[], int], running: Callable[[], int]) -> None:
        """Have the number of claims that wait and that are checked read when figures are asked for."""
        Gauge("factcheck_queued", "Claims waiting", registry=self.registry).set_function(queued)
        Gauge("factcheck_running", "Claims being checked", registry=self.registry).set_function(running)

    def ended(self, state: State, result: ClaimResult | None) -> None:
        """Count a claim that has ended."""
        self._claims.labels(state).inc()
        if result is None:
            return
        cost = result.timing.cost
        self._done, self._spent = self._done + 1, self._spent + result.timing.seconds
        self._seconds.observe(result.timing.seconds)
        self._labels.labels(result.verdict.label).inc()
        self._cut_short.inc(result.timing.cut_short)
        self._tokens.labels("in").inc(cost.tokens_in)
        self._tokens.labels("out").inc(cost.tokens_out)
        for failure in result.failures:
            self._failures.labels(failure.operation).inc()

    def mean_seconds(self, default: float) -> float:
        """Mean seconds of a claim so far; ``default`` before the first has ended."""
        return self._spent / self._done if self._done else default

    def text(self) -> bytes:
        """All figures in the text format of Prometheus."""
        return generate_latest(self.registry)


log = logging.getLogger(__name__)

Work = Callable[[Order, Listener], Awaitable[ClaimResult]]
OPEN = (State.QUEUED, State.RUNNING)


class QueueFull(Exception):
    """No further claim is taken now; ``seconds`` says when to try again."""

    def __init__(self, waiting: int, seconds: int) -> None:
        super().__init__(f"{waiting} claims are waiting and the queue is full; try again in {seconds} s")
        self.seconds = seconds


class UnknownJob(Exception):
    """There is no job with this id."""


async def _first_of(*waits: Coroutine[Any, Any, object]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


@dataclass(eq=False)
class Job:
    """A claim on its way.

    Attributes:
        thoughts: those of its graph so far, oldest first.
        changed: set, and replaced by another, whenever something changes.
    """

    order: Order
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))  # nobody can guess another's
    state: State = State.QUEUED
    thoughts: list[Thought[Content]] = field(default_factory=list)
    result: ClaimResult | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, thought: Thought[Content]) -> None:
        """Take a thought; a ``Listener``."""
        self.thoughts.append(thought)
        self._wake()

    def enter(self, state: State) -> None:
        """Change the state; a job that has ended stays as it is, and no longer holds what was to be read."""
        if self.state not in OPEN:
            return
        self.state = state
        if state not in OPEN:
            self.order = replace(self.order, material=())
        self._wake()

    async def follow(self, start: int, stopping: anyio.Event) -> AsyncIterator[tuple[int, Thought[Content]]]:
        """Yield the thoughts with their numbers as they come, from number ``start`` on, until the job has ended.

        Args:
            stopping: ends the wait for further ones.
        """
        while True:
            changed = self.changed
            while start < len(self.thoughts):
                yield start, self.thoughts[start]
                start += 1
            if self.state not in OPEN or stopping.is_set():
                return
            await _first_of(changed.wait(), stopping.wait())

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """All jobs of the service.

    Args:
        work: checks one claim.
        slots: claims checked at the same time.
        queue: claims that may wait for a slot.
        kept: ended jobs that are kept for their clients; the oldest go first.
        metrics: count what happens.
        archive: what outlives the process; its jobs are there from the beginning.
    """

    def __init__(
        self, work: Work, slots: int, queue: int, kept: int, metrics: Metrics, archive: Archive | None = None
    ) -> None:
        self._work = work
        self._slots = asyncio.Semaphore(slots)  # first come, first served
        self._parallel, self._queue, self._kept = slots, queue, kept
        self._metrics = metrics
        self._archive = archive or Archive(None)
        self._jobs = {job.id: job for job in map(_revived, self._archive)}  # oldest first
        self._tasks: dict[str, asyncio.Task[None]] = {}
        metrics.watch(lambda: len(self.in_state(State.QUEUED)), lambda: len(self.in_state(State.RUNNING)))

    def submit(self, order: Order) -> Job:
        """Take a claim into the queue.

        Raises:
            QueueFull: too many are waiting.
        """
        waiting = len(self.in_state(State.QUEUED))
        if waiting >= self._queue:
            self._metrics.rejected.inc()
            raise QueueFull(waiting, math.ceil(self._metrics.mean_seconds(order.budget) / self._parallel))
        job = Job(order)
        self._archive.begin(job.id, order.claim, order.budget)
        self._jobs[job.id] = job
        task = self._tasks[job.id] = asyncio.create_task(self._run(job))
        task.add_done_callback(lambda _: self._tasks.pop(job.id))
        return job

    def __getitem__(self, job_id: str) -> Job:
        """The job of an id.

        Raises:
            UnknownJob: there is none, or it was deleted, or it has made room for newer ones.
        """
        try:
            return self._jobs[job_id]
        except KeyError:
            raise UnknownJob(
                "no claim has this id; it may have been deleted, or dropped to make room for newer ones"
            ) from None

    def in_state(self, state: State) -> list[Job]:
        """The jobs in a state, oldest first."""
        return [job for job in self._jobs.values() if job.state is state]

    def delete(self, job_id: str) -> None:
        """Forget a job, and stop its work.

        Raises:
            UnknownJob: see ``__getitem__``.
        """
        self._stop(self[job_id])
        self._forget(job_id)

    async def close(self) -> None:
        """Stop all work, and wait until it has stopped; what had not ended is lost at the next start."""
        tasks = list(self._tasks.values())
        for job in self._jobs.values():
            self._stop(job)
        await asyncio.gather(*tasks, return_exceptions=True)
        self._archive.close()

    def progress(self, job: Job) -> Progress:
        """The job as clients see it."""
        queued = self.in_state(State.QUEUED)
        return Progress(
            id=job.id,
            claim=job.order.claim.text,
            state=job.state,
            position=queued.index(job) if job in queued else 0,
            budget=job.order.budget,
            thoughts=len(job.thoughts),
            result=job.result,
        )

    def _stop(self, job: Job) -> None:
        if job.state in OPEN:
            job.enter(State.CANCELLED)
            self._metrics.ended(job.state, job.result)
            self._tasks[job.id].cancel()

    async def _run(self, job: Job) -> None:
        try:
            async with self._slots:
                job.enter(State.RUNNING)
                job.result = await self._work(job.order, job.hear)
            job.enter(State.DONE)
        except Exception:  # the client is told that it failed, and the log why
            log.exception("claim %s", job.id)
            job.enter(State.FAILED)
        self._metrics.ended(job.state, job.result)
        if job.id in self._jobs:
            self._keep(job)
        self._make_room()

    def _keep(self, job: Job) -> None:
        """Put an ended job on disk; where that fails its client still has it until the service stops."""
        try:
            self._archive.end(job.id, job.state, job.thoughts, job.result)
        except sqlite3.Error:
            log.exception("claim %s could not be saved and is kept only in memory", job.id)

    def _forget(self, job_id: str) -> None:
        del self._jobs[job_id]
        self._archive.forget(job_id)

    def _make_room(self) -> None:
        ended = [job for job in self._jobs.values() if job.state not in OPEN]
        for job in ended[: max(0, len(ended) - self._kept)]:
            self._forget(job.id)


def _revived(kept: Kept) -> Job:
    job_id, claim, budget, state, thoughts, result = kept
    return Job(Order(claim, (), budget), job_id, state, thoughts, result)
