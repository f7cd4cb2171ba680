"""Parse untrusted files in worker processes with limits of time, memory and output.

A thread that runs C code cannot be stopped, but a process can. A call that exceeds a limit ends its worker, and the
caller gets a ``WorkFailed`` with the reason. Workers are fresh interpreters: pools of multiprocessing import the
caller's ``__main__`` again, which fails in scripts without a guard. Example: ``isolated(Limits(5), parse, data)``.
"""

import atexit
import logging
import os
import pickle
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from logging.handlers import QueueHandler
from math import inf
from pathlib import Path
from pkgutil import resolve_name
from queue import Empty, LifoQueue, SimpleQueue
from subprocess import DEVNULL, Popen, TimeoutExpired
from threading import TIMEOUT_MAX
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")

START = 480.0  # seconds for a worker to start, and to load what a call uses, on a very busy machine
SHARE = 4  # a call may take this part of the time that is left, so that one file leaves time for others
TICK = 0.001  # seconds: a socket or a timer that is set to 0 does not wait at all, or never fires
WORKERS = min(max(2, len(os.sched_getaffinity(0))), 8)  # at least two, so that one that hangs does not stop the others
LATE = "the time ran out"
COMMAND = "import sys; sys.path[:] = {path!r}; from knowledge_store.isolation import serve; serve({descriptor})"


@dataclass(frozen=True)
class Limits:
    """Limits of a call."""

    seconds: float = 10.0  # of processor time
    patience: float = 4.0  # wall time in multiples of ``seconds``, because other programs may use the processor
    memory: int | None = 2**30  # bytes of address space that a call may add to its worker (Linux only); None: any
    output: int = 2**26  # bytes of the result, pickled
    until: float = inf  # deadline on the clock of ``monotonic()``, after which no call starts or continues

    @property
    def left(self) -> float:
        """Seconds until ``until``, at least 0."""
        return max(0.0, self.until - monotonic())


LIMITS = Limits()


class WorkFailed(Exception):
    """A call was ended, or raised an error; the message says why."""


class WorkerDied(WorkFailed):
    """The worker ended by itself: its memory ran out, or C code crashed."""


class TookTooLong(WorkFailed):
    """The time of the call, or of its caller, ran out."""


def isolated(limits: Limits, function: Callable[..., T], *arguments: Any, load: Sequence[str] = ()) -> T:
    """Call a function in one of the workers that all callers in this process share; its warnings are logged here.

    The function can be imported by its name; it, its arguments and its result can be pickled. ``load`` names modules,
    and functions as "module:function", to import and call before every call, outside its time. Raises a ``WorkFailed``
    if it raised an error or exceeded a limit.
    """
    return _shared(os.getpid()).call(limits, function, *arguments, load=load)


class Workers:
    """At most ``count`` worker processes, each started when it is first needed. Threads may share them."""

    def __init__(self, count: int) -> None:
        self._closed = False
        self.workers = [_Worker() for _ in range(count)]
        self._idle: LifoQueue[_Worker] = LifoQueue()  # the worker used last is used next
        for worker in self.workers:
            self._idle.put(worker)

    def call(self, limits: Limits, function: Callable[..., T], *arguments: Any, load: Sequence[str] = ()) -> T:
        """See ``isolated``."""
        try:
            worker = self._idle.get(timeout=min(limits.left, TIMEOUT_MAX))
        except Empty:
            raise TookTooLong(LATE) from None
        try:
            if self._closed:
                raise WorkFailed("the workers are closed")
            if not limits.left:
                raise TookTooLong(LATE)
            worker.start()
            worker.ask(min(START, limits.left), replace(limits, seconds=START, memory=None), _load, tuple(load))
            limits = replace(limits, seconds=min(limits.seconds, limits.left / SHARE))
            wall = min(limits.seconds * limits.patience, limits.left / 2)
            return worker.ask(wall, limits, function, *arguments)  # type: ignore[no-any-return]
        finally:
            if self._closed or not worker.fit:
                worker.end()
            self._idle.put(worker)

    def close(self) -> None:
        """End all workers; running calls fail."""
        self._closed = True
        for worker in self.workers:
            worker.end()


class _Worker:
    """A process that answers one call at a time; ``fit`` tells whether it can take another."""

    fit = False
    _process: "Popen[bytes]"

    def start(self) -> None:
        """Start the process, unless it runs."""
        if self.fit and self._process.poll() is None:
            return
        self.end()
        ours, theirs = socket.socketpair()
        command = COMMAND.format(path=sys.path, descriptor=theirs.fileno())
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        try:
            self._process = Popen(
                [sys.executable, "-c", command],
                pass_fds=[theirs.fileno()], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, env=os.environ | one_thread,
            )  # fmt: skip
        except OSError as error:  # no memory, too many processes or open files
            ours.close()
            raise WorkFailed(f"no process to read it can be started: {error.strerror}") from error
        finally:
            theirs.close()
        self._socket, self._answers = ours, ours.makefile("rb")

    def ask(self, wall: float, limits: Limits, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; give it up after ``wall`` seconds."""
        self.fit = False
        try:
            self._socket.settimeout(min(max(wall, TICK), TIMEOUT_MAX))
            self._socket.sendall(pickle.dumps(pickle.dumps((limits, function, arguments))))
            answer = pickle.load(self._answers)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:  # ``end`` in another thread, too
            code = None if isinstance(error, TimeoutError) else self._exit_code()
            if code is None or code == -signal.SIGPROF:
                reason = f"took over {limits.seconds:.3g} s" if limits.left and limits.seconds < START else LATE
                raise TookTooLong(reason) from None
            how = f"exit status {code}" if code >= 0 else signal.strsignal(-code)
            raise WorkerDied(f"ended the process that read it ({how})") from None
        result, reason, records, self.fit = pickle.loads(answer)
        for record in records:
            logging.getLogger(record.name).handle(record)
        if reason:
            raise WorkFailed(reason)
        return result

    def end(self) -> None:
        """Kill the process, if any. Do not wait long for its end: it may hang on a disk."""
        self.fit = False
        if hasattr(self, "_socket"):
            self._process.kill()
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for an answer
            self._answers.close()
            self._socket.close()
            self._exit_code()

    def _exit_code(self) -> int | None:
        with suppress(TimeoutExpired):
            return self._process.wait(1.0)
        return None


@cache
def _shared(process: int) -> Workers:
    """The workers of a process; one that was forked has workers of its own."""
    shared = Workers(WORKERS)
    atexit.register(shared.close)
    return shared


def _load(names: Sequence[str]) -> None:
    for name in names:
        if callable(loaded := resolve_name(name)):
            loaded()


def serve(descriptor: int) -> None:
    """Answer calls until the other end is closed: what a worker runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller handles Ctrl-C
    handler = QueueHandler(SimpleQueue())
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    with socket.socket(fileno=descriptor) as connection, suppress(EOFError, OSError):
        calls = connection.makefile("rb")
        while True:
            records = handler.queue = SimpleQueue()  # of this call: the next one is another caller's
            connection.sendall(pickle.dumps(_answer(pickle.load(calls), records)))
            signal.setitimer(signal.ITIMER_PROF, 0)


def _answer(call: bytes, records: "SimpleQueue[logging.LogRecord]") -> bytes:
    """Return the result, the reason of a failure or "", log records, and whether the worker can go on."""
    reason, fit, limits = "", True, LIMITS
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    try:
        limits, function, arguments = pickle.loads(call)
        signal.setitimer(signal.ITIMER_PROF, max(limits.seconds, TICK))  # its signal ends the process
        if limits.memory is not None:
            bound = _held() + limits.memory
            if hard == resource.RLIM_INFINITY or bound < hard:
                resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
        result = function(*arguments)
        fit = limits.memory is None or _held() < limits.memory  # one that has grown is replaced
        logged = [records.get() for _ in range(records.qsize())]
        answer = pickle.dumps((result, "", logged, fit))
        if len(answer) <= limits.output:
            return answer
        reason = f"holds over {limits.output / 2**20:,.3g} MiB of text"
    except MemoryError:
        fit, reason = False, f"took over {(limits.memory or 0) / 2**20:,.3g} MiB of memory"
    except Exception as error:  # noqa: BLE001 - the caller gets whatever a parser raises
        said = str(error).partition("\n")[0]
        reason = said if " " in said else f"{type(error).__name__} {said}".strip()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return pickle.dumps((None, reason[:1000], [], fit))


def _held() -> int:
    """Bytes of this process's address space."""
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
