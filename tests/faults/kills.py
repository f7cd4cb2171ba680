"""Kills runs on the bundled claims at random moments and resumes them: ``kills.py KILLS [SEED]``.

Every run is a process of its own, stopped with SIGKILL at a moment drawn evenly from the time that a whole run takes,
its start and the writing of its outputs included. After each kill the journal must hold what it held before, whole, and
every output file must be whole or absent. A run that ends before its kill begins the next lap in an empty folder.
"""

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
import scripted_command
from processes import journalled, without_times
from tqdm import tqdm

from submission.write import read_json
from system.app import cli
from system.app.commands import common
from system.graph import Graph

DELAY = 0.1  # seconds a request: claims are then the longer part of a run


def start(output, *options):
    """A run as a process that shares nothing with this one but the modules that are loaded."""
    process = multiprocessing.get_context("fork").Process(target=_run, args=(output, options))
    process.start()
    return process


def _run(output, options):
    os.setsid()  # a group of its own, for its ranking processes to be found by
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    common.load_timed = scripted_command.load(DELAY)
    sys.exit(cli.main(["--profile", "embedded", "--budget", "3600", "--output", str(output), *options]))


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


def main() -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        struck, laps = kill_and_resume(Path(folder), int(sys.argv[1]), *map(int, sys.argv[2:]))
    print(
        f"{struck.total()} kills in {time.monotonic() - began:.0f} s: {dict(struck)}; {laps} laps completed, each whole"
    )


if __name__ == "__main__":
    main()
