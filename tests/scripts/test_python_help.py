"""``--help`` of each Python script that people run says what it does, and does nothing."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "scripts"
STARTED_BY_SHELL = {"measured.py", "official_scorer.py"}  # their first argument is never an option
SCRIPTS = [
    path for path in sorted(ROOT.rglob("*.py")) if "__main__" in path.read_text() and path.name not in STARTED_BY_SHELL
]


@pytest.mark.slow  # most of what they measure is imported
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_starts(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    if isinstance(end.value.code, str):  # what vLLM itself is measured by
        assert "vLLM, which is missing" in end.value.code
    else:
        assert not end.value.code and capsys.readouterr().out.startswith("usage: ")
