"""The dictionary of strategies, and that a strategy can be deleted."""

import shutil
import sys
from pathlib import Path

import pytest

from system.strategies import STRATEGIES
from system.strategies.base import named
from tests.helpers.processes import ROOT, copy_tracked, run_command

FOLDERS = ("system", "knowledge_store", "submission", "training", "tests", "docs", "pyproject.toml")
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
    copy_tracked(tmp_path, *FOLDERS)
    for own in OWN:
        path = tmp_path / own
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    names = tmp_path / "system" / "strategies" / "__init__.py"
    assert LINE in names.read_text()
    names.write_text(names.read_text().replace(LINE, ""))
    affected = [f"tests/system/{name}" for name in ("strategies", "graph", "test_settings.py", "test_factgraph.py")]
    affected += ["tests/test_layout.py", "tests/system/models/test_golden_prompts.py"]
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider"]
    run_command([*pytest_here, *affected], cwd=tmp_path)
