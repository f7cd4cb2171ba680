"""``--help`` of each script says what it does, and does nothing."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
RUN_PYTEST = {"test.sh", "test_vllm.sh"}  # their arguments are pytest's
STARTED_BY_SHELL = {"measured.py", "official_scorer.py"}  # their first argument is never an option
SHELL = [path for path in sorted(SCRIPTS.glob("*.sh")) if os.access(path, os.X_OK) and path.name not in RUN_PYTEST]
PYTHON = [
    path
    for path in sorted(SCRIPTS.rglob("*.py"))
    if "__main__" in path.read_text() and path.name not in STARTED_BY_SHELL
]


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.stem)
def test_a_shell_script_shows_its_purpose(path, tmp_path):
    away = os.environ | {"PYTHON": "false"}  # making an environment would fail
    done = subprocess.run([path, "--help"], cwd=tmp_path, env=away, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and not done.stderr
    assert done.stdout.startswith(path.read_text().splitlines()[1].removeprefix("# "))


@pytest.mark.slow  # imports what the scripts measure
@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.stem)
def test_a_python_script_starts(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    if isinstance(end.value.code, str):  # the benchmark of vLLM, without vLLM
        assert "vLLM, which is missing" in end.value.code
    else:
        assert not end.value.code and capsys.readouterr().out.startswith("usage: ")
