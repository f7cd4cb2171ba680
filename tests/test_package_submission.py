"""The ZIP file for the shared task, unpacked in an empty folder and driven in the organizers' order."""

import csv
import os
import re
import shutil
import zipfile
from pathlib import Path

import orjson
import pytest

from tests.helpers.processes import ROOT, run_command

CLAIMS = 2


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """The ZIP file, with an adapter."""
    folder = tmp_path_factory.mktemp("package")
    adapter = folder / "trained" / "verdict_prediction"
    adapter.mkdir(parents=True)
    (adapter / "adapter_config.json").write_text('{"r": 16}')
    made = folder / "handed_in.zip"
    command = [ROOT / "scripts" / "package_submission.sh", "--adapters", folder / "trained", made]
    run_command(command)
    return made


@pytest.fixture
def unpacked(package, tmp_path) -> Path:
    folder = tmp_path / "unpacked"
    run_command(["unzip", "-q", package, "-d", folder])
    return folder


def run(folder: Path, script: str, *arguments: str, status: int = 0, **environment: str):
    """Run a script of the package as the organizers do, from its root."""
    command = ["bash", "-c", f"source .venv/bin/activate; ./{script} {' '.join(arguments)}"]
    variables = {**os.environ, "SPLIT": "small", "ADAPTERS": "none", "PROFILE": "laptop", **environment}
    return run_command(command, status=status, cwd=folder, env=variables)


def bring_data(folder: Path) -> None:
    """Two of the bundled claims with their stores, in the folders where the organizers' download_data.sh puts them."""
    claims, stores = folder / "data_store" / "averitec" / "small.json", folder / "knowledge_store" / "small" / "0_499"
    for made in (claims.parent, stores):  # an archive of the organizers' has a folder of its own
        made.mkdir(parents=True)
    examples = orjson.loads((ROOT / "system" / "examples" / "claims.json").read_bytes())
    claims.write_bytes(orjson.dumps(examples[:CLAIMS]))
    for number in range(CLAIMS):
        shutil.copy(ROOT / "knowledge_store" / "examples" / f"{number}.json", stores)


def install_from_this_checkout(folder: Path) -> None:
    """The environment of this checkout, so that installing finds that nothing is left to install."""
    shutil.copytree(ROOT / ".venv" / "bin", folder / ".venv" / "bin", symlinks=True)
    for name in ("lib", "pyvenv.cfg"):
        (folder / ".venv" / name).symlink_to(ROOT / ".venv" / name)
    wanted = [(folder / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    (folder / ".venv" / ".installed").write_bytes(b"".join(wanted))


def test_contains_the_organizers_scripts_and_no_data(package):
    names = zipfile.ZipFile(package).namelist()
    assert {"installation.sh", "run_system.sh", "system_inference.sh"} <= set(names)
    assert "download_data.sh" not in names  # the organizers' own must not be modified
    assert "models/adapters/verdict_prediction/adapter_config.json" in names
    stores = [name for name in names if re.fullmatch(r"knowledge_store/(?!dense/minilm/).*\.json", name)]
    assert stores and all(name.startswith("knowledge_store/examples/") for name in stores)
    assert not [name for name in names if name.startswith(("tests/", "training/", ".venv", "output"))]


def test_reads_the_name_of_the_system_as_their_runner_reads_it(unpacked):
    command = "eval $(grep '^SYSTEM_NAME=' system_inference.sh); echo $SYSTEM_NAME"
    assert run_command(["bash", "-c", command], cwd=unpacked).stdout == "factgraph\n"


def test_finds_adapters_where_the_settings_say(unpacked):
    ask = '. ./settings.sh; printf "%s " "${options[@]}"'
    for environment, expected in [
        ({}, "--profile a10g --adapters verdict_prediction=models/adapters/verdict_prediction "),
        ({"ADAPTERS": "elsewhere", "OPTIONS": "--model my/model"}, "--profile a10g --model my/model "),
        ({"ADAPTERS": "elsewhere", "PROFILE": "laptop"}, "--profile laptop "),
    ]:
        said = run_command(["bash", "-euc", ask], cwd=unpacked, env={**os.environ, **environment}).stdout
        assert said == expected


FAKES = {
    "nvidia-smi": "echo $DRIVER",
    "conda": 'mkdir -p "${@: -2:1}/lib/cuda" && touch "${@: -2:1}/lib/cuda/libcuda.so.1"',
    "python3": "exit 0",
}
OURS = 'echo "${0##*/} $* with ${LD_LIBRARY_PATH:-nothing}"; [ "$3 $DRIVER" != "doctor " ]'


def shell(unpacked: Path, tmp_path: Path, driver: str, *command: str, status: int = 0) -> str:
    """Run a command of the package among fakes of the driver's, conda's and our own, and return what they print.

    Each of ours prints the library path; without a driver the doctor fails, as on a machine without ``nvidia-smi``.
    """
    scripts = {tmp_path / "fakes" / name: body for name, body in FAKES.items() if driver or name == "python3"}
    scripts |= dict.fromkeys([unpacked / "scripts" / "setup.sh", unpacked / ".venv" / "bin" / "python"], OURS)
    for script, body in scripts.items():
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"#!/bin/bash\n{body}\n")
        script.chmod(0o755)
    variables = {"PATH": f"{tmp_path / 'fakes'}:/usr/bin:/bin", "ADAPTERS": "none", "DRIVER": driver}
    return run_command(command, status=status, cwd=unpacked, env=variables).stdout


@pytest.mark.parametrize(("driver", "installs"), [("550.127.05", True), ("580.95.05", False)])
def test_an_old_driver_gets_the_compatibility_libraries_before_anything_runs(unpacked, tmp_path, driver, installs):
    printed = shell(unpacked, tmp_path, driver, "./installation.sh")
    expected = str(unpacked / ".conda-cuda" / "lib" / "cuda") if installs else "nothing"
    for step in ("setup.sh gpu", "python -m system doctor --profile a10g"):
        assert f"{step} with {expected}\n" in printed
    ask = '. ./settings.sh; echo "${LD_LIBRARY_PATH:-nothing}"'  # and so when the system runs
    assert shell(unpacked, tmp_path, driver, "bash", "-euc", ask) == f"{expected}\n"


def test_a_missing_gpu_is_named_before_any_weights_are_fetched(unpacked, tmp_path):
    printed = shell(unpacked, tmp_path, "", "./installation.sh", status=1)
    assert "-m system doctor --profile a10g" in printed and "fetch" not in printed


@pytest.mark.slow
def test_the_organizers_order_gives_a_submission_and_timings(unpacked):
    install_from_this_checkout(unpacked)
    assert "no data_store/averitec/small.json" in run(unpacked, "run_system.sh", status=2).stderr

    bring_data(unpacked)
    run(unpacked, "installation.sh")
    run(unpacked, "run_system.sh", "--depth", "2")

    with (unpacked / "leaderboard_submission" / "submission.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", "claim", "evi", "label", "split"]
    claims = orjson.loads((unpacked / "data_store" / "averitec" / "small.json").read_bytes())
    assert [(row["id"], row["claim"]) for row in rows] == [(str(i), each["claim"]) for i, each in enumerate(claims)]

    timings = (unpacked / "data_store" / "factgraph" / "measured_timings.txt").read_text()
    assert timings.startswith("Script Execution Timings for system: factgraph\n====================\nStarted at 2")
    assert re.search(
        r"\nDuration: \d\d:\d\d:\d\d\n-{40}\n={44}\nTotal execution time: \d\d:\d\d:\d\d\nScript completed at ", timings
    )

    assert "0/2" in run(unpacked, "run_system.sh").stderr  # measured anew, not taken from the first run


@pytest.mark.slow
def test_a_failed_run_is_reported_in_the_timings(unpacked):
    install_from_this_checkout(unpacked)
    bring_data(unpacked)
    without = {"PROFILE": "a10g", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    assert "error: " in run(unpacked, "run_system.sh", status=2, **without).stderr
    timings = (unpacked / "data_store" / "factgraph" / "measured_timings.txt").read_text()
    assert timings.endswith("Error: Main execution failed\n")
    assert not (unpacked / "leaderboard_submission").exists()
