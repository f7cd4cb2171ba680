"""The proof on a GPU, as far as a machine without one can take it."""

import json
import sys
import time
from argparse import Namespace

import psutil
import pytest

from scripts.prove_gpu import Proof, StepFailed
from tests.helpers.processes import ROOT, run_command


def prove(folder, *options):
    command = [sys.executable, "-m", "scripts.prove_gpu", *options, "--output", folder / "proof.json"]
    done = run_command(command, status=1, cwd=ROOT)
    return done.stdout, json.loads((folder / "proof.json").read_text())["steps"]


@pytest.mark.slow
def test_a_first_verdict_comes_at_once_and_a_failed_step_stops_no_other(tmp_path):
    steps = ["--steps", "machine", "first", "run"]
    said, proof = prove(tmp_path, *steps, "--profile", "laptop", "--claims", "none.json", "--knowledge-store", "none")
    assert "failed: run" in said
    assert f"first verdict: {proof['first']['found']['verdict']} (" in said.partition("run …")[0]
    assert "none.json" in proof["run"]["error"] and proof["machine"]["found"]["cpus"] >= 1
    assert len(proof["first"]["found"]["timings"]["claims"]) == 1


def test_a_step_that_is_stopped_takes_what_it_started_with_it(tmp_path):
    sleep = f"import time; time.sleep(99)  # {tmp_path}"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {sleep!r}])"
    with pytest.raises(StepFailed, match="stopped after 2 s"):
        Proof(Namespace(), tmp_path, time.monotonic() + 9).run("-c", start, seconds=2)
    time.sleep(0.5)
    assert not [one for one in psutil.process_iter(["cmdline"]) if sleep in (one.info["cmdline"] or ())]


def test_it_ends_in_time(tmp_path):
    _, proof = prove(tmp_path, "--steps", "first", "run", "--profile", "laptop", "--minutes", "0.01")
    assert proof["first"]["error"].startswith("stopped after 1 s")
    assert proof["run"]["error"] == "not begun: 0.01 minutes are over"
