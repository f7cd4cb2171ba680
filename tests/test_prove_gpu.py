"""The proof on a GPU, as far as a machine without one can take it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parent.parent


def prove(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, dict]]:
    command = [sys.executable, "-m", "scripts.prove_gpu", *options, "--output", folder / "proof.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    return done, json.loads((folder / "proof.json").read_text())["steps"]


@pytest.mark.slow
def test_a_first_verdict_comes_at_once_and_a_failed_step_stops_no_other(tmp_path):
    steps = ["--steps", "machine", "first", "run"]
    done, proof = prove(tmp_path, *steps, "--profile", "laptop", "--claims", "none.json", "--knowledge-store", "none")
    assert done.returncode == 1 and "failed: run" in done.stdout, done.stdout + done.stderr
    assert f"first verdict: {proof['first']['found']['verdict']} (" in done.stdout.partition("run …")[0]
    assert "none.json" in proof["run"]["error"] and proof["machine"]["found"]["cpus"] >= 1
    assert len(proof["first"]["found"]["timings"]["claims"]) == 1


def test_it_ends_in_time(tmp_path):
    done, proof = prove(tmp_path, "--steps", "first", "run", "--profile", "laptop", "--minutes", "0.01")
    assert done.returncode == 1
    assert proof["first"]["error"].startswith("stopped after 1 s")
    assert proof["run"]["error"] == "not begun: 0.01 minutes are over"
