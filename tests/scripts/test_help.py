"""``--help`` of each shell script says what it does, and does nothing."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN_PYTEST = {"test.sh", "test_vllm.sh"}  # what they get is pytest's
SCRIPTS = [path for path in sorted((ROOT / "scripts").glob("*.sh")) if os.access(path, os.X_OK)]


@pytest.mark.parametrize("path", [one for one in SCRIPTS if one.name not in RUN_PYTEST], ids=lambda path: path.stem)
def test_shows_what_it_does(path, tmp_path):
    away = os.environ | {"PYTHON": "false"}  # whatever makes an environment fails
    done = subprocess.run([path, "--help"], cwd=tmp_path, env=away, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and not done.stderr
    about = path.read_text().splitlines()[1].removeprefix("# ")
    assert done.stdout.startswith(about)
