"""Jobs: claims and texts that wait, are checked, or are done; a bounded number of each."""

import asyncio
import logging
import math
import secrets
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Generic, TypeVar

import anyio
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from knowledge_store.pages.documents import DocumentsError
from system.app.service.job_archive import JobArchive, Kept
from system.app.service.schema import ClaimProgress, State, TextProgress
from system.app.service.worker import Order, TextOrder
from system.article.records import Article, CheckedStatement, CheckedText
from system.graph.records import ClaimResult, Content
from system.graph.thoughts import Thought

SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90, 120)


class Metrics:
    """Counters for Prometheus: each service has a registry of its own, so several can share a process."""

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
        self._cut_short = Counter("factcheck_cut_short", "Claims that ran out of time", registry=self.registry)
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

Ordered = TypeVar("Ordered", Order, TextOrder)
Part = TypeVar("Part")
Found = TypeVar("Found")
Work = Callable[[Ordered, Callable[[Part], None]], Awaitable[Found]]
TextPart = Article | CheckedStatement
"""Events for followers of a text: first the text, then each statement as it is done."""
OPEN = (State.QUEUED, State.RUNNING)


class QueueFull(Exception):
    """No further job is taken now; ``seconds`` says when to try again."""

    def __init__(self, what: str, waiting: int, seconds: int) -> None:
        super().__init__(f"{waiting} {what}s are waiting and the queue is full; try again in {seconds} s")
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
class Job(Generic[Ordered, Part, Found]):
    """A claim or a text on its way.

    Attributes:
        parts: what its followers are told, oldest first: of a claim, the thoughts of its graph so far.
        problem: why it failed, where that is for the client to know.
        changed: set, and replaced by another, whenever something changes.
    """

    order: Ordered
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))  # nobody can guess another's
    state: State = State.QUEUED
    parts: list[Part] = field(default_factory=list)
    result: Found | None = None
    problem: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, part: Part) -> None:
        """Take a part."""
        self.parts.append(part)
        self._wake()

    def enter(self, state: State) -> None:
        """Change the state; a job that has ended stays as it is, and no longer holds what was to be read."""
        if self.state not in OPEN:
            return
        self.state = state
        if state not in OPEN:
            self.order = replace(self.order, material=())
        self._wake()

    async def follow(self, start: int, stopping: anyio.Event) -> AsyncIterator[tuple[int, Part]]:
        """Yield the parts with their numbers as they come, from number ``start`` on, until the job has ended.

        Args:
            stopping: ends the wait for further ones.
        """
        while True:
            changed = self.changed
            while start < len(self.parts):
                yield start, self.parts[start]
                start += 1
            if self.state not in OPEN or stopping.is_set():
                return
            await _first_of(changed.wait(), stopping.wait())

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs(ABC, Generic[Ordered, Part, Found]):
    """Jobs of one kind.

    Args:
        work: does one.
        slots: done at the same time.
        queue: jobs that may wait for a slot.
        kept: ended jobs that are kept for their clients; the oldest go first.
        metrics: count what happens.
    """

    what = "job"

    def __init__(self, work: Work[Ordered, Part, Found], slots: int, queue: int, kept: int, metrics: Metrics) -> None:
        self._work: Work[Ordered, Part, Found] = work
        self._slots = asyncio.Semaphore(slots)  # first come, first served
        self._parallel, self._queue, self._kept = slots, queue, kept
        self._metrics = metrics
        self._jobs: dict[str, Job[Ordered, Part, Found]] = {}  # oldest first
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def submit(self, order: Ordered) -> Job[Ordered, Part, Found]:
        """Take a job into the queue.

        Raises:
            QueueFull: too many are waiting.
        """
        waiting = len(self.in_state(State.QUEUED))
        if waiting >= self._queue:
            self._metrics.rejected.inc()
            raise QueueFull(self.what, waiting, self._wait(order))
        job: Job[Ordered, Part, Found] = Job(order)
        self._began(job)
        self._jobs[job.id] = job
        task = self._tasks[job.id] = asyncio.create_task(self._run(job))
        task.add_done_callback(lambda _: self._tasks.pop(job.id))
        return job

    def __getitem__(self, job_id: str) -> Job[Ordered, Part, Found]:
        """The job of an id.

        Raises:
            UnknownJob: there is none, or it was deleted, or it has made room for newer ones.
        """
        try:
            return self._jobs[job_id]
        except KeyError:
            raise UnknownJob(
                f"no {self.what} has this id; it may have been deleted, or dropped to make room for newer ones"
            ) from None

    def in_state(self, state: State) -> list[Job[Ordered, Part, Found]]:
        """The jobs in a state, oldest first."""
        return [job for job in self._jobs.values() if job.state is state]

    def position(self, job: Job[Ordered, Part, Found]) -> int:
        """How many are to be started before a job."""
        queued = self.in_state(State.QUEUED)
        return queued.index(job) if job in queued else 0

    def delete(self, job_id: str) -> None:
        """Forget a job, and stop its work.

        Raises:
            UnknownJob: see ``__getitem__``.
        """
        self._stop(self[job_id])
        self._forgotten(job_id)  # where that fails, the client is told, and may ask again
        del self._jobs[job_id]

    async def close(self) -> None:
        """Stop all work, and wait until it has stopped."""
        tasks = list(self._tasks.values())
        for job in self._jobs.values():
            self._stop(job)
        await asyncio.gather(*tasks, return_exceptions=True)

    @abstractmethod
    def _wait(self, order: Ordered) -> int:
        """Seconds after which a client may try again."""

    def _began(self, job: Job[Ordered, Part, Found]) -> None:
        """A job is taken."""

    def _ended(self, job: Job[Ordered, Part, Found], waited: float, seconds: float) -> None:
        """A job was done or has failed."""

    def _stopped(self, job: Job[Ordered, Part, Found]) -> None:
        """A job was cancelled."""
        log.info("%s %s cancelled", self.what, job.id)

    def _forgotten(self, job_id: str) -> None:
        """A job is to be dropped."""

    def _dropped(self, job_id: str) -> None:
        """A job has made room for newer ones."""

    def _stop(self, job: Job[Ordered, Part, Found]) -> None:
        if job.state in OPEN:
            job.enter(State.CANCELLED)
            self._stopped(job)
            self._tasks[job.id].cancel()

    async def _run(self, job: Job[Ordered, Part, Found]) -> None:
        asked = began = monotonic()
        try:
            async with self._slots:
                began = monotonic()
                job.enter(State.RUNNING)
                job.result = await self._work(job.order, job.hear)
            job.enter(State.DONE)
        except DocumentsError as error:
            job.problem = str(error)
            log.warning("%s %s: %s", self.what, job.id, error)
            job.enter(State.FAILED)
        except Exception:  # the client is told that it failed, and the log why
            log.exception("%s %s", self.what, job.id)
            job.enter(State.FAILED)
        self._ended(job, began - asked, monotonic() - began)
        self._make_room()

    def _make_room(self) -> None:
        ended = [job for job in self._jobs.values() if job.state not in OPEN]
        for job in ended[: max(0, len(ended) - self._kept)]:
            del self._jobs[job.id]
            self._dropped(job.id)


ClaimJob = Job[Order, Thought[Content], ClaimResult]
TextJob = Job[TextOrder, TextPart, CheckedText]


class ClaimJobs(Jobs[Order, Thought[Content], ClaimResult]):
    """Claims; see ``Jobs``.

    Args:
        archive: what outlives the process; its jobs are there from the beginning.
    """

    what = "claim"

    def __init__(
        self,
        work: Work[Order, Thought[Content], ClaimResult],
        slots: int,
        queue: int,
        kept: int,
        metrics: Metrics,
        archive: JobArchive | None = None,
    ) -> None:
        super().__init__(work, slots, queue, kept, metrics)
        self._archive = archive or JobArchive(None)
        self._jobs = {job.id: job for job in map(_revived, self._archive)}
        metrics.watch(lambda: len(self.in_state(State.QUEUED)), lambda: len(self.in_state(State.RUNNING)))

    def progress(self, job: ClaimJob) -> ClaimProgress:
        """The job as clients see it."""
        return ClaimProgress(
            id=job.id,
            claim=job.order.claim.text,
            state=job.state,
            position=self.position(job),
            budget=job.order.budget,
            thoughts=len(job.parts),
            problem=job.problem,
            result=job.result,
        )

    async def close(self) -> None:
        """Stop all work, and wait until it has stopped; what had not ended is lost at the next start."""
        await super().close()
        self._archive.close()

    def _wait(self, order: Order) -> int:
        return math.ceil(self._metrics.mean_seconds(order.budget) / self._parallel)

    def _began(self, job: ClaimJob) -> None:
        self._on_disk(self._archive.begin, job.id, job.order.claim, job.order.budget)

    def _ended(self, job: ClaimJob, waited: float, seconds: float) -> None:
        self._metrics.ended(job.state, job.result)
        _log(job, waited, seconds)
        if job.id in self._jobs:
            claim, budget = job.order.claim, job.order.budget
            self._on_disk(self._archive.end, job.id, claim, budget, job.state, job.parts, job.result, job.problem)

    def _stopped(self, job: ClaimJob) -> None:
        self._metrics.ended(job.state, job.result)
        super()._stopped(job)

    def _forgotten(self, job_id: str) -> None:
        self._archive.forget(job_id)

    def _dropped(self, job_id: str) -> None:
        self._on_disk(self._archive.forget, job_id)

    @staticmethod
    def _on_disk(change: Callable[..., None], job_id: str, *details: object) -> None:
        """Change the archive; where that fails the client still has the job until the service stops."""
        try:
            change(job_id, *details)
        except sqlite3.Error:
            log.exception("claim %s could not be saved and is kept only in memory", job_id)


class TextJobs(Jobs[TextOrder, TextPart, CheckedText]):
    """Texts; kept in memory alone. See ``Jobs``."""

    what = "text"

    def progress(self, job: TextJob) -> TextProgress:
        """The job as clients see it."""
        checked = self.so_far(job)
        return TextProgress(
            id=job.id,
            state=job.state,
            position=self.position(job),
            statements=len(checked.article.claims) if checked else None,
            checked=len(checked.statements) if checked else 0,
            problem=job.problem,
            result=job.result.to_dict() if job.result else None,
        )

    @staticmethod
    def so_far(job: TextJob) -> CheckedText | None:
        """The text with the statements that are done; None before it is cut into sentences."""
        if not job.parts:
            return None
        (article,) = [part for part in job.parts if isinstance(part, Article)]
        return CheckedText.of(article, [part for part in job.parts if isinstance(part, CheckedStatement)])

    def _wait(self, order: TextOrder) -> int:
        return WAIT_FOR_TEXT

    def _ended(self, job: TextJob, waited: float, seconds: float) -> None:
        done = max(0, len(job.parts) - 1)
        log.info("text %s %s: %d statements in %.1f s after a wait of %.1f s", job.id, job.state, done, seconds, waited)


WAIT_FOR_TEXT = 60  # seconds after which a client may try again: how long a text takes depends on its length


def _revived(kept: Kept) -> ClaimJob:
    order = Order(kept.claim, (), kept.budget)
    return Job(order, kept.id, kept.state, kept.thoughts or [], kept.result, kept.problem)


def _log(job: ClaimJob, waited: float, seconds: float) -> None:
    """Tell the operator of a claim that has ended; its text stays the client's."""
    label = job.result.verdict.label if job.result else "no verdict"
    failures = f", {len(job.result.failures)} failures" if job.result and job.result.failures else ""
    log.info("claim %s %s: %s in %.1f s after a wait of %.1f s%s", job.id, job.state, label, seconds, waited, failures)
