"""From training to the package for the shared task: each task is served the adapter that was trained for it last."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from system.tasks.base import Adapter
from tests.helpers.processes import ROOT, run_command
from training.finetuning.recipes import RECIPES

# Stands for Python: writes the files that each training command would, and says which recipe an adapter is of.
PYTHON = """#!{python}
import json, pathlib, sys
arguments = sys.argv[1:]
if arguments[1] == "scripts.measured":
    pathlib.Path(arguments[3]).touch()
    arguments = arguments[5:]
after = lambda option: arguments[arguments.index(option) + 1]
if arguments[1:3] == ["training", "data"]:
    folder = pathlib.Path(after("--output"))
    folder.mkdir(parents=True, exist_ok=True)
    sets = arguments[arguments.index("--sets") + 1 :]
    for name in [*sets, "moderator_sft", "moderator_preferences"] if sets == ["moderator"] else sets:
        for suffix in ("jsonl", "card.json"):
            (folder / f"{{name}}.{{suffix}}").touch()
if arguments[1:3] == ["training", "train"]:
    folder = pathlib.Path(after("--output"))
    folder.mkdir(parents=True)
    start = after("--from-adapter") if "--from-adapter" in arguments else ""
    (folder / "adapter_config.json").write_text(json.dumps({{"recipe": after("--task"), "start": start}}))
    with open("trained", "a") as file:
        print(after("--task"), file=file)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The script in a folder where commands only pretend."""
    folder = tmp_path / "checkout"
    for name in ("scripts/retrain_adapters.sh", "system/profiles/a10g.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    python = PYTHON.format(python=sys.executable)
    for name, text in {"scripts/setup.sh": "#!/bin/sh\n", "run.sh": "#!/bin/sh\n", ".venv/bin/python": python}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def retrain(checkout: Path, *options: str, status: int = 0) -> str:
    """Run the script and return what it complains of."""
    command = ["scripts/retrain_adapters.sh", "--claims", "train.json", "--held-out", "dev.json", *options]
    return run_command(command, status=status, cwd=checkout).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moderator", "chain"),
    [("debate-sft", ["moderator"]), ("none", []), ("d-sft-dpo", ["moderator-sft", "moderator-dpo"])],
)
def test_the_package_serves_what_was_trained_last(checkout, tmp_path, moderator, chain) -> None:
    retrain(checkout, *(["--moderator", moderator] if moderator != "debate-sft" else []))
    trained = (checkout / "trained").read_text().split()
    assert trained[3:] == chain
    last = {RECIPES[task].adapter: task for task in trained}
    assert set(last) == set(Adapter) - ({Adapter.NONE} if chain else {Adapter.NONE, Adapter.MODERATOR})

    made, folder = tmp_path / "handed_in.zip", tmp_path / "unpacked"
    run_command([ROOT / "scripts" / "package_submission.sh", "--adapters", checkout / "models", made])
    run_command(["unzip", "-q", made, "-d", folder])
    ask = ["bash", "-euc", '. ./settings.sh; printf "%s\n" "${adapters[@]}"']
    environment = {name: value for name, value in os.environ.items() if name not in ("ADAPTERS", "OPTIONS")}
    said = run_command(ask, cwd=folder, env=environment).stdout.split()
    attached = {task: folder / path for task, _, path in (line.partition("=") for line in said)}
    configs = {task: json.loads((path / "adapter_config.json").read_text()) for task, path in attached.items()}
    assert {task: config["recipe"] for task, config in configs.items()} == last
    assert not chain or configs["moderator"]["start"] == ("models/moderator_sft" if len(chain) > 1 else "")
    assert {path.name for path in (folder / "models" / "adapters").iterdir()} == set(last)


def test_rejects_an_unknown_chain(checkout: Path) -> None:
    assert "debate-sft" in retrain(checkout, "--moderator", "dpo", status=2)
    assert not (checkout / "models").exists()
