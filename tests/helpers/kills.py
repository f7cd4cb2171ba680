"""Kills runs on the bundled claims at random moments and resumes them: ``python -m tests.helpers.kills KILLS [SEED]``.

Every run is a process of its own, stopped with SIGKILL at a moment drawn evenly from the time that a whole run takes,
its start and the writing of its outputs included. After each kill the journal must hold what it held before, whole, and
every output file must be whole or absent. A run that ends before its kill begins the next lap in an empty folder.
"""

import itertools
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson
from tqdm import tqdm

from submission.write import read_json
from system.app import cli
from system.app.commands import common
from system.files import atomic, journal
from system.graph.graph import Graph
from system.runner import run
from tests.helpers import scripted_command
from tests.helpers.processes import journalled, without_times

DELAY = 0.1  # seconds a request: claims are then the longer part of a run


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


def die_at(step, claim):
    """Have this process killed at a step of its n-th finished claim."""
    owner, name = STEPS[step]
    original, calls = getattr(owner, name), itertools.count(1)
    due = 3 * claim if step == "before the line is synced" else claim  # a claim syncs graph, folder and line

    def killing(*args, **kwargs):
        if next(calls) == due:
            if step == "within the line":
                args[0]._file.write(b'{"claim": {"id": 3, "te')
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **kwargs)

    setattr(owner, name, killing)


def start(output, *options, die=None):
    """A run as a process that shares nothing with this one but the modules that are loaded.

    Args:
        die: step and number of the claim at which it is killed.
    """
    process = multiprocessing.get_context("fork").Process(target=_run, args=(output, options, die))
    process.start()
    return process


def _run(output, options, die):
    os.setsid()  # a group of its own, for its ranking processes to be found by
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    common.load_timed = scripted_command.load(0.0 if die else DELAY)
    if die:
        die_at(*die)
    sys.exit(
        cli.main(["--profile", "embedded", "--strategy", "got", "--budget", "3600", "--output", str(output), *options])
    )


def check_files(output, kept):
    """Assert that nothing finished was lost and no file is half written; returns the results so far."""
    now = journalled(output)
    assert now[: len(kept)] == kept, "a finished claim was lost or changed"
    assert len({result.claim.id for result in now}) == len(now), "a claim was finished twice"
    for result in now:
        Graph.from_json(orjson.loads((output / "graphs" / f"{result.claim.id}.json").read_bytes()))
    for name in ("submission.json", "timings.json", "run.json"):
        if (output / name).exists():
            orjson.loads((output / name).read_bytes())
    return now


def moment_of(output, kept, now, claims):
    """In which part of a run a kill struck."""
    if len(now) == claims:
        return "writing the outputs"
    return "among the claims" if len(now) > len(kept) or kept else "before the first claim"


def undisturbed(output):
    """Seconds of a run without a kill, and its results."""
    began = time.monotonic()
    process = start(output)
    process.join()
    assert process.exitcode == 0
    return time.monotonic() - began, without_times(journalled(output)), read_json(output / "submission.json")


def kill_and_resume(folder, kills, seed=1):
    """Kill runs this many times; returns how often each part of a run was struck, and the laps that were completed."""
    seconds, expected, submission = undisturbed(folder / "undisturbed")
    moments, struck, laps = random.Random(seed), Counter(), 0
    output, kept = folder / "lap", []
    progress = tqdm(total=kills, unit="kill")
    while struck.total() < kills:
        resumable = (output / "journal.jsonl").exists()
        process = start(output, *(["--resume"] if resumable else []))
        process.join(moments.uniform(0.0, seconds))
        if process.exitcode is None:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            now = check_files(output, kept)
            struck[moment_of(output, kept, now, len(expected))] += 1
            kept = now
            progress.update()
            continue
        assert process.exitcode == 0, f"status {process.exitcode}"
        assert without_times(check_files(output, kept)) == expected
        assert read_json(output / "submission.json") == submission
        shutil.rmtree(output)
        laps, kept = laps + 1, []
    progress.close()
    process = start(output, "--resume") if output.exists() else start(output)
    process.join()
    assert process.exitcode == 0
    assert without_times(check_files(output, kept)) == expected
    assert read_json(output / "submission.json") == submission
    return struck, laps + 1


def kill_at_and_resume(output, step, claim, expected):
    """Kill a run at a step of a claim, and resume it to the end; returns how many claims the kill left finished."""
    process = start(output, die=(step, claim))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    kept = check_files(output, [])
    process = start(output, "--resume")
    process.join()
    assert process.exitcode == 0
    assert without_times(check_files(output, kept)) == expected
    return len(kept)


def main() -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        struck, laps = kill_and_resume(Path(folder), int(sys.argv[1]), *map(int, sys.argv[2:]))
    print(
        f"{struck.total()} kills in {time.monotonic() - began:.0f} s: {dict(struck)}; {laps} laps completed, each whole"
    )


if __name__ == "__main__":
    main()
