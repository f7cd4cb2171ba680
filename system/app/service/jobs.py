"""One queue of jobs: claims and texts that wait, run, or have ended, a bounded number of each.

What the work of a job reports while it runs (thoughts, statements, citations) is kept in ``parts``, and every follower
receives it from the beginning.
"""

import asyncio
import logging
import math
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Any

from knowledge_store.pages.documents import DocumentsError
from system.app.service.schema import State
from system.graph.records import Claim

if TYPE_CHECKING:  # it stands on the engine, which takes seconds to import
    from system.api import FactChecker

log = logging.getLogger(__name__)

Work = Callable[["FactChecker", Callable[[Any], object]], Coroutine[Any, Any, Any]]
"""Do a job with a checker, on the checker's event loop; call the function for each part."""
OPEN = (State.QUEUED, State.RUNNING)


class Kind(StrEnum):
    """What a job checks."""

    CLAIM = "claim"
    TEXT = "text"
    CITATIONS = "citations"


class QueueFull(Exception):
    """No further job is taken now; ``seconds`` says when to try again."""

    def __init__(self, waiting: int, seconds: int) -> None:
        super().__init__(f"{waiting} checks are waiting and the queue is full; try again in {seconds} s")
        self.seconds = seconds


class UnknownJob(Exception):
    """There is no job with this id."""


class JobError(Exception):
    """A job cannot be done; the message is for its client."""


@dataclass(eq=False)
class Job:
    """A claim or a text to check."""

    kind: Kind
    claim: Claim | None = None  #: None for a text
    budget: float = 0.0  #: seconds that a claim may take
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))  # nobody can guess another's
    state: State = State.QUEUED
    parts: list[Any] = field(default_factory=list)  #: reported so far, oldest first
    result: Any = None
    problem: str = ""  #: why it failed, if the client can mend it
    #: set, and replaced by another, whenever something changes
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def open(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in OPEN

    def hear(self, part: Any) -> None:
        """Take a part."""
        self.parts.append(part)
        self._wake()

    def enter(self, state: State) -> None:
        """Change the state; a job that has ended stays as it is."""
        if self.open:
            self.state = state
            self._wake()

    async def follow(self, start: int) -> AsyncIterator[tuple[int, Any]]:
        """Yield the parts from number ``start`` on, with their numbers, until the job ends."""
        while True:
            changed = self.changed
            while start < len(self.parts):
                yield start, self.parts[start]
                start += 1
            if not self.open:
                return
            await changed.wait()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """The queue.

    Args:
        checker: waits for the checker, and returns it.
        slots: jobs that run at the same time; of these, one text, because a text has many statements.
        queue: jobs that may wait for a slot.
        kept: ended jobs that are kept for their clients; the oldest go first.
        seconds: to wait before another try when the queue is full.
    """

    def __init__(
        self, checker: "Callable[[], Awaitable[FactChecker]]", slots: int, queue: int, kept: int, seconds: float
    ) -> None:
        self._checker = checker
        self._slots, self._texts = asyncio.Semaphore(slots), asyncio.Semaphore(1)  # first come, first served
        self._parallel, self._queue, self._kept, self._seconds = slots, queue, kept, seconds
        self._jobs: dict[str, Job] = {}  # oldest first
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def submit(self, job: Job, work: Work) -> Job:
        """Take a job into the queue; ``QueueFull`` if too many are waiting."""
        waiting = sum(one.open for one in self._jobs.values()) - self._parallel
        if waiting >= self._queue:
            raise QueueFull(waiting, math.ceil(self._seconds))
        self._jobs[job.id] = job
        task = self._tasks[job.id] = asyncio.create_task(self._run(job, work))
        task.add_done_callback(lambda _: self._tasks.pop(job.id))
        return job

    def find(self, job_id: str, *kinds: Kind) -> Job:
        """Return the job of an id, if it is of one of these kinds.

        Raises:
            UnknownJob: there is none, or it was deleted, or dropped to make room.
        """
        job = self._jobs.get(job_id)
        if not job or job.kind not in kinds:
            what = " or ".join(kinds)
            raise UnknownJob(f"no {what} has this id; it may have been deleted, or dropped to make room for newer ones")
        return job

    def in_state(self, state: State) -> list[Job]:
        """Return the jobs in a state, oldest first."""
        return [job for job in self._jobs.values() if job.state is state]

    def position(self, job: Job) -> int:
        """Return how many jobs are to be started before this one."""
        queued = self.in_state(State.QUEUED)
        return queued.index(job) if job in queued else 0

    def discard(self, job: Job) -> None:
        """Forget a job, and stop its work."""
        if job.open:
            job.enter(State.CANCELLED)
            log.info("%s %s cancelled", job.kind, job.id)
            if task := self._tasks.get(job.id):
                task.cancel()
        self._jobs.pop(job.id, None)

    async def close(self) -> None:
        """Stop all work, and wait until it has stopped."""
        tasks = list(self._tasks.values())
        for job in list(self._jobs.values()):
            self.discard(job)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, job: Job, work: Work) -> None:
        loop = asyncio.get_running_loop()
        asked = began = monotonic()
        try:
            async with self._texts if job.kind is Kind.TEXT else nullcontext(), self._slots:
                began = monotonic()
                job.enter(State.RUNNING)
                checker = await self._checker()
                working = work(checker, lambda part: loop.call_soon_threadsafe(job.hear, part))
                job.result = await asyncio.wrap_future(checker.submit(working))
            job.enter(State.DONE)
        except (DocumentsError, JobError) as error:
            job.problem = str(error)
            log.warning("%s %s: %s", job.kind, job.id, error)
            job.enter(State.FAILED)
        except Exception:
            log.exception("%s %s", job.kind, job.id)
            job.enter(State.FAILED)
        seconds = monotonic() - began
        log.info("%s %s %s in %.1f s after a wait of %.1f s", job.kind, job.id, job.state, seconds, began - asked)
        ended = [one.id for one in self._jobs.values() if not one.open]
        for job_id in ended[: max(0, len(ended) - self._kept)]:
            del self._jobs[job_id]
