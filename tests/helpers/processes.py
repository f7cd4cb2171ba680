"""Whole runs as processes: starting them, waiting for them, and reading what they left."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from system.graph.records import ClaimResult

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900.0  # seconds; ends what hangs, and outlasts any machine that is merely busy
USUAL = ("--profile", "laptop", "--strategy", "got", "--budget", "3600")  # of runs with a script for a model


def start_python(*command, **options):
    """Start this Python on a command; it and its own processes can import the tests' helpers."""
    ours = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    environment = {**os.environ, **ours, **options.pop("environment", {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _hear_ctrl_c, **options}
    command = [sys.executable, *map(str, command)]
    return subprocess.Popen(command, text=True, env=environment, **pipes)


def _hear_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a shell ignores for what it starts in the background


def start_scripted(delay, output, *arguments, **options):
    """Start ``tests.helpers.scripted_command``, whose requests take so many seconds, with an output folder."""
    command = ["-m", "tests.helpers.scripted_command", delay, *USUAL, "--output", output]
    return start_python(*command, *arguments, **options)


def finish(process, status=0):
    """The output and the log of a process; its exit status must be this one."""
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == status, f"status {process.returncode}: {errors}"
    return output, errors


def run_command(command, *, status=0, **options):
    """Run a command to its end and return what it left; its exit status must be this one, unless that is None."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **options)
    assert status in (None, done.returncode), f"status {done.returncode}: {done.stdout}{done.stderr}"
    return done


def copy_tracked(target, *folders):
    """Copy the files of this checkout, or of these of its folders, that git knows or would add."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    for name in run_command(listed, cwd=ROOT).stdout.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def journalled(folder):
    """The results in a folder's journal that were written whole."""
    path = folder / "journal.jsonl"
    lines = path.read_bytes().split(b"\n")[1:-1] if path.exists() else []
    return [ClaimResult.model_validate_json(line) for line in lines]


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"still not so after {PATIENCE:g} s"
        time.sleep(0.02)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def without_times(results):
    """Results in the order of their claims, less what differs from run to run."""
    return [result.model_dump(exclude={"timing"}) for result in sorted(results, key=lambda r: r.claim.id)]
