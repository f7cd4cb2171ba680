"""Work on bytes of strangers, in worker processes with limits of time, memory and output.

A thread that runs C code cannot be stopped, a process can: a worker that exceeds a limit is killed and replaced, and
the caller gets a reason. Workers start without the caller's ``__main__``, which pools based on multiprocessing import
again: so scripts without a guard, scripts read from standard input, and notebooks can use them too.
"""

import atexit
import logging
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from logging.handlers import QueueHandler
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import resolve_name
from queue import SimpleQueue
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET, socketpair
from struct import pack
from subprocess import DEVNULL, Popen, TimeoutExpired
from threading import Semaphore, Thread
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")

START = 120.0  # seconds that a worker may take to start and to load what it needs
STALLED = 10.0  # seconds in which no byte moves between a caller and its worker, before the worker is given up
ORPHANED = 5.0  # seconds after its limit when a worker ends itself, because whoever would end it is gone
WORN = 2**29  # bytes that a worker may come to hold over its calls before it is replaced
SHARE = 4  # part of the time left that a call may take, so that one leaves others theirs
TICK = 0.001  # seconds; a timer set for 0 never fires
LATE = "the time ran out"
COMMAND = "import sys; sys.path[:] = {path!r}; from knowledge_store.isolation import serve; serve({descriptor})"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Limits of a call.

    Attributes:
        seconds: processor time.
        patience: wall time in multiples of ``seconds``, from when a worker is free to do it: the innocent are not to
            pay for a busy machine.
        memory: bytes of address space that it may add to those of the worker; kept on Linux alone. None: any number.
        output: bytes of the result, pickled.
        wait: seconds to wait for a free worker; None: as long as the calls before it take.
        until: of ``monotonic()``, when the caller needs it no more: no call goes on, or begins, after that, and each
            takes a quarter of what is left at most, or half where the machine is busy.
        worn: bytes of address space from which a worker is replaced after a call; None: it never is.
    """

    seconds: float = 10.0
    patience: float = 4.0
    memory: int | None = 2**30
    output: int = 2**26
    wait: float | None = None
    until: float = inf
    worn: int | None = WORN

    @property
    def left(self) -> float:
        """Seconds until ``until``, never below 0."""
        return max(0.0, self.until - monotonic())

    @property
    def longest(self) -> float:
        """Seconds of wall time, never more than half of what is left."""
        return min(self.seconds * self.patience, self.left / 2)

    def shared(self) -> "Limits":
        """The same limits with no more processor time than a call's share of what is left."""
        return replace(self, seconds=min(self.seconds, self.left / SHARE))


LIMITS = Limits()


class WorkFailed(Exception):
    """A call was ended, or raised an error; the message says why."""


class WorkerDied(WorkFailed):
    """The worker ended by itself: its memory ran out, or C code crashed."""


class TookTooLong(WorkFailed):
    """The time of the call, or of its caller, ran out."""


def isolated(limits: Limits, function: Callable[..., T], *arguments: Any, load: Sequence[str] = ()) -> T:
    """Call a function in one of the workers that all callers in this process share.

    Args:
        function: can be imported by its name; it, its arguments and its result can be pickled. Its warnings are logged
            here.
        load: what it uses, loaded before its time runs: modules, and functions as "module:function", which are called.

    Raises:
        WorkFailed: it raised an error, or exceeded a limit.
    """
    return _shared().call(limits, function, *arguments, load=load)


def warm_up(load: Sequence[str]) -> None:
    """Start the shared workers in the background, with what calls to come will use; see ``isolated``."""
    _shared().warm_up(load)


class Workers:
    """Worker processes, each started when it is needed first. Threads may share them.

    Args:
        count: how many may run at once.
        prepare: what each calls when it starts, with its arguments; can be pickled.
    """

    def __init__(self, count: int, *prepare: Any) -> None:
        self._count = count
        self._prepare = prepare
        self._forget()
        os.register_at_fork(after_in_child=self._forget)  # workers answer the process that started them

    def call(self, limits: Limits, function: Callable[..., T], *arguments: Any, load: Sequence[str] = ()) -> T:
        """See ``isolated``."""
        wait = inf if limits.wait is None else limits.wait
        if not (limits.left and self._places.acquire(timeout=_seconds(min(wait, limits.left)))):
            raise TookTooLong(LATE if not limits.left else f"no worker was free within {wait:g} s")
        try:
            limits = limits.shared()
            with self._worker(limits.until) as worker:
                return worker.call(limits, load, function, *arguments)  # type: ignore[no-any-return]
        finally:
            self._places.release()

    def warm_up(self, load: Sequence[str]) -> None:
        """Start them in the background; see ``warm_up``."""

        def start() -> None:
            with suppress(WorkFailed):  # closed meanwhile; a worker that cannot start fails its first call again
                self.call(LIMITS, _nothing, load=load)

        for _ in range(self._count):
            Thread(target=start, name="warming", daemon=True).start()

    def close(self) -> None:
        """End all workers; calls that they have not answered fail."""
        self._closed = True
        for worker in list(self._running):
            worker.end()  # whoever waits for its answer sees that and does the rest
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _worker(self, until: float) -> Iterator["_Worker"]:
        """A worker of one's own; whatever ends the call ends a worker that has not answered."""
        worker = self._waiting() or _Worker(self._prepare, until)
        self._running.add(worker)
        try:
            if self._closed:
                raise WorkFailed("the workers are closed")
            yield worker
        finally:
            self._running.discard(worker)
            if worker.fit and not self._closed:
                self._idle.append(worker)
            else:
                worker.close()

    def _waiting(self) -> "_Worker | None":
        """One that has nothing to do; those that something else ended meanwhile are dropped."""
        with suppress(IndexError):
            while not (worker := self._idle.pop()).alive:
                worker.close()
            return worker
        return None

    def _forget(self) -> None:
        self._closed = False
        self._places = Semaphore(self._count)
        self._idle: list[_Worker] = []
        self._running: set[_Worker] = set()


class _Worker:
    """A process that answers one call at a time.

    Args:
        prepare: see ``Workers``.
        until: of ``monotonic()``, when whoever needs it needs it no more.

    Attributes:
        fit: whether it can take another call.

    Raises:
        WorkFailed: it cannot be started, or not in time.
    """

    def __init__(self, prepare: tuple[Any, ...], until: float) -> None:
        try:
            self._connection, self._process = _started()
        except OSError as error:  # no memory, too many processes or open files, no interpreter
            raise WorkFailed(f"no process to read it can be started: {error.strerror}") from error
        self.fit = True
        start = Limits(seconds=START, memory=None, worn=None, until=until)
        try:
            self.call(start, (), *(prepare or (_nothing,)))
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def call(self, limits: Limits, load: Sequence[str], function: Callable[..., Any], *arguments: Any) -> Any:
        self.fit = False
        try:
            self._connection.send_bytes(pickle.dumps(tuple(load)))
            if not self._connection.poll(min(START, limits.left)):
                raise _not_started(limits)
            self._connection.recv_bytes()
            self._connection.send_bytes(pickle.dumps((limits, function, arguments)))
            if not self._connection.poll(limits.longest):
                raise TookTooLong(f"took over {limits.seconds:.3g} s")
            result, reason, records, self.fit = pickle.loads(self._connection.recv_bytes())
        except (EOFError, ConnectionError):
            end = self._end()
            if end == signal.SIGPROF.name:
                raise TookTooLong(f"took over {limits.seconds:.3g} s") from None
            raise WorkerDied(f"ended the process that read it ({end})") from None
        except BlockingIOError:
            raise WorkerDied("ended the process that read it (it does not answer)") from None
        for record in records:
            logging.getLogger(record.name).handle(record)
        if reason:
            raise WorkFailed(reason)
        return result

    def end(self) -> None:
        """Send SIGKILL; any thread may."""
        self.fit = False
        self._process.kill()

    def close(self) -> None:
        """End it now, or leave behind a process that not even the kernel can end: one whose disk hangs."""
        self.end()
        self._connection.close()
        with suppress(TimeoutExpired):
            self._process.wait(1.0)

    def _end(self) -> str:
        try:
            code = self._process.wait(1.0)
        except TimeoutExpired:
            return "it does not answer"
        return _signal(-code) if code < 0 else f"exit status {code}"


def _started() -> tuple[Connection, Popen[bytes]]:
    """A new process and the end of a connection to it; both ends are closed where it cannot be started."""
    ours, theirs = socketpair()
    with theirs, ours:
        for wait in (SO_SNDTIMEO, SO_RCVTIMEO):
            ours.setsockopt(SOL_SOCKET, wait, pack("ll", int(STALLED), int(STALLED % 1 * 1e6)))
        command = COMMAND.format(path=sys.path, descriptor=theirs.fileno())
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        process = Popen(
            [sys.executable, "-c", command],
            pass_fds=[theirs.fileno()], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, env=os.environ | one_thread,
        )  # fmt: skip
        return Connection(ours.detach()), process


def _not_started(limits: Limits) -> WorkFailed:
    return WorkerDied("ended the process that read it (it does not start)") if limits.left else TookTooLong(LATE)


def _signal(number: int) -> str:
    """Name of a signal; those of real time have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@cache
def _shared() -> Workers:
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    shared = Workers(min(max(2, len(cores)), 8))  # two at least: beside one that hangs, others are read
    atexit.register(shared.close)
    return shared


def _seconds(wait: float) -> float | None:
    """A time to wait as a semaphore takes it."""
    return None if wait == inf else wait


def _nothing() -> None:
    """Show that the worker runs."""


def serve(descriptor: int) -> None:
    """Answer calls until the other end is closed: what a worker runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the caller to see to
    connection = Connection(descriptor)
    records: SimpleQueue[logging.LogRecord] = SimpleQueue()
    handler = QueueHandler(records)
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    with suppress(EOFError, ConnectionError):
        while True:
            for name in pickle.loads(connection.recv_bytes()):
                if callable(loaded := resolve_name(name)):
                    loaded()
            connection.send_bytes(b"")  # time runs from here
            connection.send_bytes(_answer(connection.recv_bytes(), records))
            for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)


def _answer(data: bytes, records: "SimpleQueue[logging.LogRecord]") -> bytes:
    """Result, reason of failure, log records, and whether the worker can go on; the reason is empty after success."""
    result, reason, fit, limits = None, "", True, LIMITS
    try:
        limits, function, arguments = pickle.loads(data)
        signal.setitimer(signal.ITIMER_PROF, max(limits.seconds, TICK))  # the default action of both ends the process
        signal.setitimer(signal.ITIMER_REAL, limits.longest + ORPHANED)
        with _memory(limits.memory):
            result = function(*arguments)
            fit = limits.worn is None or _held() < limits.worn
            told = [records.get() for _ in range(records.qsize())]
            answer = pickle.dumps((result, "", told, fit))
        if len(answer) <= limits.output:
            return answer
        reason = f"holds over {_size(limits.output)} of text"
    except MemoryError:
        fit, reason = False, f"took over {_size(limits.memory or 0)} of memory"
    except Exception as error:  # noqa: BLE001 - whatever a parser raises, its caller is told
        said = str(error).partition("\n")[0]
        reason = said if " " in said else f"{type(error).__name__} {said}".strip()
    return pickle.dumps((None, reason[:1000], [], fit))


def _size(size: int) -> str:
    return f"{size / 2**20:,.3g} MiB"


@contextmanager
def _memory(limit: int | None) -> Iterator[None]:
    """Raise a ``MemoryError`` inside, or end the process, once that many bytes are added to its address space."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if limit is not None and (held := _held()):
        allowed = (bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_AS, (min([held + limit, *allowed]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _held() -> int:
    """Bytes of this process's address space; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()
