"""The ZIP file for the shared task, unpacked in an empty folder and driven in the organizers' order."""

import csv
import functools
import hashlib
import os
import re
import shutil
import subprocess
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import orjson
import pytest

from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
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
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return made


@pytest.fixture
def unpacked(package, tmp_path) -> Path:
    folder = tmp_path / "unpacked"
    subprocess.run(["unzip", "-q", package, "-d", folder], check=True, timeout=PATIENCE)
    return folder


@pytest.fixture
def data(tmp_path):
    """A web server with a split of two of the bundled claims; yields its address."""
    folder = tmp_path / "data"
    claims, stores = folder / "data" / "small.json", folder / "data_store/knowledge_store/small_knowledge_store.zip"
    claims.parent.mkdir(parents=True)
    stores.parent.mkdir(parents=True)
    examples = orjson.loads((ROOT / "system" / "examples" / "claims.json").read_bytes())
    claims.write_bytes(orjson.dumps(examples[:CLAIMS]))
    with zipfile.ZipFile(stores, "w") as file:
        for number in range(CLAIMS):
            file.write(ROOT / "knowledge_store" / "examples" / f"{number}.json", f"output_small/{number}.json")
    digests = [(hashlib.sha256(file.read_bytes()).hexdigest(), file.relative_to(folder)) for file in (claims, stores)]
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {path}\n" for digest, path in digests))
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def run(folder: Path, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the package as the organizers do, from its root."""
    command = ["bash", "-c", f"source .venv/bin/activate; ./{script} {' '.join(arguments)}"]
    variables = {**os.environ, "SPLIT": "small", "ADAPTERS": "none", "PROFILE": "embedded", **environment}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=PATIENCE)


def install_from_this_checkout(folder: Path) -> None:
    """The environment of this checkout, so that installing finds that nothing is left to install."""
    shutil.copytree(ROOT / ".venv" / "bin", folder / ".venv" / "bin", symlinks=True)
    for name in ("lib", "pyvenv.cfg"):
        (folder / ".venv" / name).symlink_to(ROOT / ".venv" / name)
    wanted = [(folder / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    (folder / ".venv" / ".installed").write_bytes(b"".join(wanted))


def test_contains_the_organizers_scripts_and_no_data(package):
    names = zipfile.ZipFile(package).namelist()
    assert {"download_data.sh", "installation.sh", "run_system.sh", "system_inference.sh"} <= set(names)
    assert "models/adapters/verdict_prediction/adapter_config.json" in names
    stores = [name for name in names if re.fullmatch(r"knowledge_store/.*\.json", name)]
    assert stores and all(name.startswith("knowledge_store/examples/") for name in stores)
    assert not [name for name in names if name.startswith(("tests/", "training/", ".venv", "output"))]


def test_reads_the_name_of_the_system_as_their_runner_reads_it(unpacked):
    command = "eval $(grep '^SYSTEM_NAME=' system_inference.sh); echo $SYSTEM_NAME"
    assert subprocess.check_output(["bash", "-c", command], cwd=unpacked, text=True) == "factgraph\n"


def test_finds_adapters_where_the_settings_say(unpacked):
    ask = '. ./settings.sh; printf "%s " "${options[@]}"'
    for environment, expected in [
        ({}, "--profile a10g --adapters verdict_prediction=models/adapters/verdict_prediction "),
        ({"ADAPTERS": "elsewhere", "OPTIONS": "--model my/model"}, "--profile a10g --model my/model "),
        ({"ADAPTERS": "elsewhere", "PROFILE": "embedded"}, "--profile embedded "),
    ]:
        variables = {**os.environ, **environment}
        assert subprocess.check_output(["bash", "-euc", ask], cwd=unpacked, text=True, env=variables) == expected


def test_rejects_a_folder_without_adapters(tmp_path):
    command = [ROOT / "scripts" / "package_submission.sh", "--adapters", tmp_path, tmp_path / "out.zip"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "adapter_config.json" in done.stderr
    assert not (tmp_path / "out.zip").exists()


@pytest.mark.slow
def test_the_organizers_order_gives_a_submission_and_timings(unpacked, data):
    install_from_this_checkout(unpacked)
    early = run(unpacked, "run_system.sh")
    assert early.returncode == 2 and "no data_store/averitec/small.json" in early.stderr

    for script, arguments in [("download_data.sh", ()), ("installation.sh", ()), ("run_system.sh", ("--seed", "1"))]:
        done = run(unpacked, script, *arguments, DATA=data)
        assert done.returncode == 0, script + done.stdout + done.stderr

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

    again = run(unpacked, "run_system.sh")  # measured anew, not taken from the first run
    assert again.returncode == 0 and "0/2" in again.stderr, again.stdout + again.stderr


@pytest.mark.slow
def test_a_failed_run_is_reported_in_the_timings(unpacked, data):
    install_from_this_checkout(unpacked)
    assert run(unpacked, "download_data.sh", DATA=data).returncode == 0
    done = run(unpacked, "run_system.sh", "--depth", "0")
    assert done.returncode == 2
    timings = (unpacked / "data_store" / "factgraph" / "measured_timings.txt").read_text()
    assert timings.endswith("Error: Main execution failed\n")
    assert not (unpacked / "leaderboard_submission").exists()


@pytest.mark.slow
def test_without_its_model_the_run_fails(unpacked, data):
    install_from_this_checkout(unpacked)
    assert run(unpacked, "download_data.sh", DATA=data).returncode == 0
    done = run(unpacked, "run_system.sh", PROFILE="a10g", CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1")
    assert done.returncode == 2 and "error: " in done.stderr, done.stdout + done.stderr
    assert not (unpacked / "leaderboard_submission").exists()
