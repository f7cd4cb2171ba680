"""Work in other processes: it ends within its limits, and the next call is answered all the same."""

import errno
import logging
import os
import re
import signal
import sys
import time

import psutil
import pytest

from knowledge_store import isolation
from knowledge_store.isolation import LIMITS, Limits, TookTooLong, WorkerDied, Workers, WorkFailed, isolated
from knowledge_store.pages.word import html_of
from tests.helpers.documents import docx
from tests.helpers.processes import run_command, wait_for

HOSTILE = [
    pytest.param(Limits(seconds=0.5), re.match, ("(a+)+$", "a" * 40 + "b"), "took over 0.5 s", id="C code"),
    pytest.param(Limits(seconds=0.2), time.sleep, (60,), "took over 0.2 s", id="sleep"),
    pytest.param(Limits(memory=2**28), bytes, (2**31,), "took over 256 MiB of memory", id="memory"),
    pytest.param(Limits(output=2**20), bytes, (2**21,), "holds over 1 MiB of text", id="output"),
    pytest.param(Limits(seconds=0.0), time.sleep, (5,), "took over 0 s", id="no time"),
    pytest.param(LIMITS, os.abort, (), "Aborted", id="crash"),
    pytest.param(LIMITS, os._exit, (0,), "exit status 0", id="exit"),
    pytest.param(LIMITS, signal.raise_signal, (40,), "Real-time signal", id="signal without a name"),
    pytest.param(LIMITS, int, ("x",), "invalid literal", id="error"),
    pytest.param(LIMITS, open, (os.devnull,), "cannot pickle", id="no result"),
]


@pytest.mark.parametrize(("limits", "function", "arguments", "reason"), HOSTILE)
def test_a_call_ends_within_its_limits(limits, function, arguments, reason):
    with pytest.raises(WorkFailed, match=reason) as failed:
        isolated(limits, function, *arguments)
    assert isinstance(failed.value, TookTooLong) == (reason.endswith(" s"))
    assert isinstance(failed.value, WorkerDied) == (function in (os.abort, os._exit, signal.raise_signal))
    assert isolated(LIMITS, len, "four") == 4


@pytest.fixture
def workers():
    workers = Workers(1)
    yield workers
    workers.close()


def test_a_worker_killed_while_idle_is_replaced(workers):
    worker = workers.call(LIMITS, os.getpid)
    os.kill(worker, 9)
    os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
    assert workers.call(LIMITS, len, "four") == 4


def test_a_worker_that_grew_is_replaced(workers):
    first = workers.call(LIMITS, os.getpid)
    workers.call(Limits(memory=2**20), len, "four")
    assert workers.call(LIMITS, os.getpid) != first


@pytest.mark.parametrize("size", [1, 10**7], ids=["writes no more", "reads no more"])
def test_a_worker_that_stalls_is_given_up_when_its_caller_needs_it_no_more(size, workers):
    os.kill(workers.call(LIMITS, os.getpid), signal.SIGSTOP)
    with pytest.raises(TookTooLong, match=isolation.LATE):
        workers.call(Limits(until=time.monotonic() + 0.2), len, bytes(size))
    assert workers.call(LIMITS, len, "four") == 4


def test_calls_fail_once_the_workers_are_closed(workers):
    workers.close()
    with pytest.raises(WorkFailed, match="the workers are closed"):
        workers.call(LIMITS, len, "four")


def test_workers_end_with_the_process_that_started_them():
    script = """if True:
        import os
        from knowledge_store.isolation import LIMITS, isolated
        print(isolated(LIMITS, os.getpid), flush=True)
        os._exit(0)
    """
    worker = int(run_command([sys.executable, "-c", script]).stdout)
    wait_for(lambda: not psutil.pid_exists(worker))


def test_warnings_are_logged_by_the_caller_and_not_by_the_next(caplog, workers):
    with pytest.raises(WorkFailed, match="Word"):  # after a warning of what is damaged
        workers.call(LIMITS, html_of, docx("<w:p"), "b.docx")
    workers.call(LIMITS, logging.log, logging.WARNING, "%s is torn", "a.txt")
    assert caplog.messages == ["a.txt is torn"]


def test_a_worker_that_cannot_be_started_is_a_failure_of_its_call(workers, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(isolation, "Popen", refuse)
    with pytest.raises(WorkFailed, match=f"can be started: {os.strerror(errno.EAGAIN)}"):
        workers.call(LIMITS, len, "")
