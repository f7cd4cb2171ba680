"""The dictionary of strategies, and that a strategy can be deleted."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from system.strategies import STRATEGIES
from system.strategies.base import named
from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("system", "knowledge_store", "submission", "training", "tests", "docs")
LINE = '    "carp": "carp.strategy:carp",\n'
OWN = (
    "system/strategies/carp",
    "tests/system/strategies/carp",
    "tests/helpers/by_strategy/carp.py",
    "tests/system/models/golden/carp.json",
)


def test_every_name_has_its_strategy_and_every_folder_its_name():
    places = [Path(sys.modules[named(name).check.__module__].__file__) for name in STRATEGIES]
    folder = ROOT / "system" / "strategies"
    folders = {path.parent.name for path in folder.glob("*/__init__.py")} - {"steps"}
    assert {path.parent.name for path in places} - {folder.name} == folders


@pytest.mark.slow
def test_without_a_strategy_everything_else_is_green(tmp_path):
    files = subprocess.run(["git", "ls-files", *FOLDERS, "pyproject.toml"], cwd=ROOT, capture_output=True, text=True)
    for file in files.stdout.split():
        if (ROOT / file).is_file():
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, tmp_path / file)
    for own in OWN:
        path = tmp_path / own
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    names = tmp_path / "system" / "strategies" / "__init__.py"
    assert LINE in names.read_text()
    names.write_text(names.read_text().replace(LINE, ""))
    affected = ["strategies", "graph", "test_settings.py", "test_factgraph.py", "models/test_golden_prompts.py"]
    affected = ["tests/test_layout.py", *(f"tests/system/{name}" for name in affected)]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *affected]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout[-4000:]
