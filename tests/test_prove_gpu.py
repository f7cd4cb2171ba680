"""The proof on a GPU, as far as a machine without one can take it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_a_failed_step_is_recorded_and_the_others_run(tmp_path):
    steps = ["--steps", "machine", "bench", "run", "--profile", "embedded", "--limit", "1"]
    command = [sys.executable, "-m", "scripts.prove_gpu", *steps, "--shape", "none"]
    command += ["--output", tmp_path / "proof.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    proof = json.loads((tmp_path / "proof.json").read_text())["steps"]
    assert done.returncode == 1 and "failed: bench" in done.stdout, done.stdout + done.stderr
    assert "error" in proof["bench"] and proof["machine"]["found"]["cpus"] >= 1
    assert len(proof["run"]["found"]["timings"]["claims"]) == 1
