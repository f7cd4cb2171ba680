"""Work in other processes: it ends within its limits, and the next call is answered all the same."""

import errno
import logging
import os
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from knowledge_store import isolation
from knowledge_store.isolation import LIMITS, Limits, TookTooLong, WorkerDied, Workers, WorkFailed, isolated

HOSTILE = [
    pytest.param(Limits(seconds=0.5), re.match, ("(a+)+$", "a" * 40 + "b"), "took over 0.5 s", id="C code"),
    pytest.param(Limits(seconds=0.2), time.sleep, (60,), "took over 0.2 s", id="sleep"),
    pytest.param(Limits(memory=2**28), bytes, (2**31,), "took over 256 MiB of memory", id="memory"),
    pytest.param(Limits(output=2**20), bytes, (2**21,), "holds over 1 MiB of text", id="output"),
    pytest.param(LIMITS, os.abort, (), "SIGABRT", id="crash"),
    pytest.param(LIMITS, os._exit, (0,), "exit status 0", id="exit"),
    pytest.param(LIMITS, signal.raise_signal, (40,), r"\(signal 40\)", id="signal without a name"),
    pytest.param(LIMITS, int, ("x",), "invalid literal", id="error"),
    pytest.param(LIMITS, open, (os.devnull,), "cannot pickle", id="no result"),
]


@pytest.mark.parametrize(("limits", "function", "arguments", "reason"), HOSTILE)
def test_a_call_ends_within_its_limits(limits, function, arguments, reason):
    with pytest.raises(WorkFailed, match=reason):
        isolated(limits, function, *arguments)
    assert isolated(LIMITS, len, "four") == 4


def test_callers_wait_for_each_other_no_longer_than_they_want():
    workers = Workers(1)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(workers.call, Limits(seconds=0.5), time.sleep, 60)
        while workers._places._value:
            time.sleep(0.01)
        with pytest.raises(TookTooLong, match=r"no worker was free within 0.1 s"):
            workers.call(Limits(wait=0.1), len, "")
        with pytest.raises(TookTooLong):
            first.result()
    assert workers.call(LIMITS, len, "four") == 4
    workers.close()


def test_a_worker_killed_while_idle_is_replaced():
    workers = Workers(1)
    worker = workers.call(LIMITS, os.getpid)
    os.kill(worker, 9)
    os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
    assert workers.call(LIMITS, len, "four") == 4
    workers.close()


def test_workers_end_with_the_process_that_started_them():
    script = """if True:
        import os
        from knowledge_store.isolation import LIMITS, isolated
        print(isolated(LIMITS, os.getpid), flush=True)
        os._exit(0)
    """
    worker = int(subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True).stdout)
    for _ in range(1000):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    raise AssertionError("the worker still runs")


def test_warnings_are_logged_by_the_caller(caplog):
    isolated(LIMITS, logging.log, logging.WARNING, "%s is torn", "a.txt")
    assert caplog.messages == ["a.txt is torn"]


def test_a_forked_process_has_workers_of_its_own():
    mine = isolated(LIMITS, os.getppid)
    child = os.fork()
    if not child:
        os._exit(isolated(LIMITS, os.getppid) == mine)
    assert mine == os.getpid() and os.waitpid(child, 0)[1] == 0


def test_a_worker_that_dies_is_told_from_one_that_hangs():
    with pytest.raises(WorkerDied):
        isolated(LIMITS, os.abort)


def test_a_worker_that_does_not_start_is_waited_for_no_longer_than_its_caller_needs_it():
    workers = Workers(1)
    stopped = workers.call(LIMITS, os.getpid)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(TookTooLong, match=isolation.LATE):
        workers.call(Limits(until=time.monotonic() + 0.2), len, "")
    assert workers.call(LIMITS, len, "four") == 4
    workers.close()


STALLING = """if True:
    import os, pickle, time
    from multiprocessing.connection import Connection
    connection = Connection({descriptor})
    connection.recv_bytes(), connection.send_bytes(b""), connection.recv_bytes()
    connection.send_bytes(pickle.dumps((None, "", [], True)))
    connection.recv_bytes(), connection.send_bytes(b"")
"""
READS = """
    connection.recv_bytes(), os.write({descriptor}, bytes((0, 0, 1, 0)) + b"torn")
"""


@pytest.mark.parametrize("then", ["", READS], ids=["reads no more", "writes no more"])
def test_a_worker_that_stalls_is_given_up(then, monkeypatch):
    monkeypatch.setattr(isolation, "STALLED", 0.1)
    monkeypatch.setattr(isolation, "COMMAND", f"{STALLING}{then}\n    time.sleep(60)")
    workers = Workers(1)
    with pytest.raises(WorkerDied, match="does not answer"):
        workers.call(LIMITS, len, bytes(10**7))
    workers.close()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOEXEC, errno.EAGAIN, errno.ENOMEM])
def test_a_worker_that_cannot_be_started_is_a_failure_of_its_call(number, monkeypatch):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(isolation, "Popen", refuse)
    with pytest.raises(WorkFailed, match=f"can be started: {os.strerror(number)}"):
        Workers(1).call(LIMITS, len, "")


def test_a_bound_of_the_process_itself_is_kept(monkeypatch):
    bounds = (2**40, 2**41)
    monkeypatch.setattr(resource, "getrlimit", lambda _: bounds)
    kept = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, bounds: kept.append(bounds))
    with isolation._memory(2**50):
        pass
    assert kept == [(2**40, 2**41), bounds]
