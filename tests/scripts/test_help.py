"""``--help`` of each script says what it does, and does nothing."""

import os
import runpy
import sys

import pytest

from tests.helpers.processes import ROOT, run_command

SCRIPTS = ROOT / "scripts"
RUN_PYTEST = {"test.sh", "test_vllm.sh"}  # their arguments are pytest's
BY_SHELL = {"measured.py", "official_scorer.py"}  # their first argument is never an option
SHELL = [path for path in sorted(SCRIPTS.glob("*.sh")) if os.access(path, os.X_OK) and path.name not in RUN_PYTEST]
PYTHON = sorted(one for one in SCRIPTS.rglob("*.py") if "__main__" in one.read_text() and one.name not in BY_SHELL)


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.stem)
def test_a_shell_script_shows_its_purpose(path, tmp_path):
    away = os.environ | {"PYTHON": "false"}  # making an environment would fail
    done = run_command([path, "--help"], cwd=tmp_path, env=away)
    assert not done.stderr
    assert done.stdout.startswith(path.read_text().splitlines()[1].removeprefix("# "))


@pytest.mark.slow  # imports what the scripts measure
@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.stem)
def test_a_python_script_starts(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert not end.value.code and capsys.readouterr().out.startswith("usage: ")
