"""The container files, as far as they can be tried without an engine: lint, build context, commands, health."""

import re
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.local_site import Site, page
from tests.helpers.processes import ROOT, run_command

FILES = sorted((ROOT / "scripts" / "docker").glob("*.Dockerfile"))
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def arguments(file: Path, name: str) -> list[str]:
    """The arguments of each instruction of a name in a Dockerfile, on one line each."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [rest.strip() for instruction, _, rest in (line.partition(" ") for line in joined) if instruction == name]


@pytest.mark.skipif(not shutil.which("hadolint", path=str(Path(sys.executable).parent)), reason="needs hadolint")
def test_hadolint_finds_nothing():
    hadolint = Path(sys.executable).parent / "hadolint"
    assert not run_command([hadolint, *FILES]).stdout


@each_file
def test_runs_unprivileged_with_scripts_and_extras_of_the_project(file):
    assert arguments(file, "USER") == ["10001"]
    assert arguments(file, "VOLUME") == ['["/models", "/stores", "/output"]']
    commands = " ".join(rest for name in ("RUN", "ENTRYPOINT", "HEALTHCHECK") for rest in arguments(file, name))
    scripts = {name.lstrip("/") for name in re.findall(r"[\w/]+\.sh", commands.replace("/app/", ""))}
    assert scripts == {"scripts/setup.sh", "run.sh", "scripts/docker/healthcheck.sh"}
    assert all((ROOT / name).stat().st_mode & 0o111 for name in scripts)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in " ".join(re.findall(r"setup\.sh ((?:\w+ ?)+)", commands)).split():
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra


@pytest.mark.slow
@each_file
def test_the_first_layer_installs_all_that_it_names(file, tmp_path):
    for copied in arguments(file, "COPY")[:-1]:
        *sources, target = copied.split()
        (tmp_path / target).mkdir(parents=True, exist_ok=True)
        for source in sources:
            shutil.copy(ROOT / source, tmp_path / target)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", tmp_path / "wheel"]
    run_command([sys.executable, "-m", "pip", "wheel", *options, tmp_path])
    script, *extras = re.search(r"scripts/setup\.sh[\w ]+", " ".join(arguments(file, "RUN")))[0].split()
    if "gpu" in extras and not shutil.which("nvidia-smi"):
        pytest.skip("installs 8 GB of CUDA; tests/test_requirements.py resolves its versions")
    run_command([tmp_path / script, *extras])
    run_command([tmp_path / ".venv" / "bin" / "python", "-c", "import openvino, ray, uvicorn, system"])


def health(tmp_path: Path, command: str, port: int) -> int:
    (tmp_path / "cmdline").write_bytes(command.replace(" ", "\0").encode() + b"\0")
    environment = {"PATH": "/usr/bin:/bin", "CMDLINE": str(tmp_path / "cmdline"), "PORT": str(port)}
    return run_command([ROOT / "scripts" / "docker" / "healthcheck.sh"], status=None, env=environment).returncode


def test_a_service_is_healthy_while_it_answers(tmp_path):
    with closing(Site()) as site:
        site.answers["/healthz"] = page()
        port = int(site.address.rpartition(":")[2])
        assert health(tmp_path, "python -m system serve --host 0.0.0.0", port) == 0
    assert health(tmp_path, "python -m system serve --host 0.0.0.0", port) != 0
    assert health(tmp_path, "python -m system --output /output", port) == 0
