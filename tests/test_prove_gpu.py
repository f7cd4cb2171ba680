"""The proof on a GPU, as far as a machine without one can take it."""

import json
import sys

import pytest

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


def test_it_ends_in_time(tmp_path):
    _, proof = prove(tmp_path, "--steps", "first", "run", "--profile", "laptop", "--minutes", "0.01")
    assert proof["first"]["error"].startswith("stopped after 1 s")
    assert proof["run"]["error"] == "not begun: 0.01 minutes are over"
