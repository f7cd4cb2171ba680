"""Runs on the bundled claims that are killed by SIGKILL at each step of keeping a claim, resumed, and checked."""

import itertools
import multiprocessing
import os
import signal
import sys
from pathlib import Path

import orjson
import pytest
from tqdm import tqdm

from system import check
from system.app import cli
from system.files import atomic, journal
from system.graph.graph import Graph
from system.runner import run
from tests.helpers import scripted_command
from tests.helpers.processes import USUAL, journalled, without_times

pytestmark = pytest.mark.slow

CLAIM = 8  # the one at which a run is killed, of 16
STEPS = {
    "before the graph": (run, "write_atomically"),
    "before the graph is renamed": (Path, "replace"),
    "before the folder is synced": (atomic, "_sync_folder"),
    "before the line": (journal.RecordJournal, "append"),
    "within the line": (journal.RecordJournal, "_write"),
    "before the line is synced": (os, "fsync"),
    "after the line": (tqdm, "update"),
}
"""The steps that keep a finished claim, in order, each by the function that comes next."""


def die_at(step):
    """Have this process killed at a step of its n-th finished claim."""
    owner, name = STEPS[step]
    original, calls = getattr(owner, name), itertools.count(1)
    due = 3 * CLAIM if step == "before the line is synced" else CLAIM  # a claim syncs graph, folder and line

    def killing(*args, **kwargs):
        if next(calls) == due:
            if step == "within the line":
                args[0]._file.write(b'{"claim": {"id": 3, "te')
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **kwargs)

    setattr(owner, name, killing)


def status_of(output, *options, die=""):
    """Run in a forked process, which is killed at the step ``die``, and return its exit code."""

    def in_fork():
        os.setsid()  # a group of its own, for its ranking processes to be found by
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        check.load_engine = scripted_command.load(0.0)
        if die:
            die_at(die)
        sys.exit(cli.main([*USUAL, "--output", str(output), *options]))

    process = multiprocessing.get_context("fork").Process(target=in_fork)
    process.start()
    process.join()
    return process.exitcode


def check_files(output, kept):
    """Assert that no finished claim was lost and that each has a whole graph; return the results so far."""
    now = journalled(output)
    assert now[: len(kept)] == kept, "a finished claim was lost or changed"
    assert len({result.claim.id for result in now}) == len(now), "a claim was finished twice"
    for result in now:
        Graph.from_json(orjson.loads((output / "graphs" / f"{result.claim.id}.json").read_bytes()))
    return now


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The results of a run without a kill."""
    output = tmp_path_factory.mktemp("undisturbed")
    assert status_of(output) == 0
    return without_times(journalled(output))


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_loses_nothing_at_any_step(tmp_path, expected, step):
    assert status_of(tmp_path, die=step) == -signal.SIGKILL
    kept = check_files(tmp_path, [])
    assert status_of(tmp_path, "--resume") == 0
    assert without_times(check_files(tmp_path, kept)) == expected
    assert 0 < len(kept) < len(expected)
