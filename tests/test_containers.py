"""The container files, as far as they can be tried without an engine: lint, build context, commands, health."""

import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.local_site import Handler, serving
from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "scripts" / "docker").glob("*.Dockerfile"))
HEALTHCHECK = ROOT / "scripts" / "docker" / "healthcheck.sh"
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def instructions(file: Path) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile with their arguments, each on one line."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def arguments(file: Path, name: str) -> list[str]:
    return [rest for instruction, rest in instructions(file) if instruction == name]


def in_context(name: str) -> bool:
    """Whether a file reaches an engine past .dockerignore, whose last matching line decides."""
    parts = Path(name).parts
    above = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    taken = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern = line.removeprefix("!")
            if any(matches(place, pattern) for place in above):
                taken = line.startswith("!")
    return taken


def matches(place: str, pattern: str) -> bool:
    """A star stands for no slash; two of them for any number of folders."""
    if pattern.startswith("**/"):
        return fnmatch.fnmatchcase(place.rpartition("/")[2], pattern.removeprefix("**/"))
    return place.count("/") == pattern.count("/") and fnmatch.fnmatchcase(place, pattern)


def test_there_is_a_gpu_and_a_cpu_container():
    assert [file.name for file in FILES] == ["cpu.Dockerfile", "gpu.Dockerfile"]


@pytest.mark.skipif(not shutil.which("hadolint", path=str(Path(sys.executable).parent)), reason="needs hadolint")
def test_hadolint_finds_nothing():
    hadolint = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([hadolint, *FILES], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and not done.stdout, done.stdout


@each_file
def test_runs_unprivileged_with_a_health_check_and_volumes(file):
    names = [name for name, _ in instructions(file)]
    assert arguments(file, "USER") == ["10001"]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert arguments(file, "VOLUME") == ['["/models", "/stores", "/output"]']
    assert re.fullmatch(
        r"--interval=.* CMD \[\"/app/scripts/docker/healthcheck.sh\"\]", *arguments(file, "HEALTHCHECK")
    )


@each_file
def test_its_commands_are_scripts_of_the_project(file):
    commands = " ".join([*arguments(file, "RUN"), *arguments(file, "ENTRYPOINT"), *arguments(file, "HEALTHCHECK")])
    scripts = set(re.findall(r"[\w/]+\.sh", commands.replace("/app/", "")))
    assert {"scripts/setup.sh", "run.sh", "scripts/docker/healthcheck.sh"} == {name.lstrip("/") for name in scripts}
    for name in scripts:
        assert (ROOT / name.lstrip("/")).stat().st_mode & 0o111


@each_file
def test_its_extras_are_those_of_the_project(file):
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(r"setup\.sh ((?:\w+ ?)+)", " ".join(arguments(file, "RUN")))
    for extra in " ".join(extras).split():
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra


def test_the_gpu_image_fits_the_pinned_engine():
    """vLLM 0.32.0 and torch 2.13.0 are built for CUDA 13.0; another pin asks for another look at the base image."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"vllm==0.32.0"' in project and '"torch==2.13.0"' in project
    assert arguments(ROOT / "scripts/docker/gpu.Dockerfile", "FROM") == ["nvidia/cuda:13.0.3-base-ubuntu24.04"]


@each_file
def test_copied_files_exist_and_reach_the_engine(file):
    sources = [source for copied in arguments(file, "COPY") for source in copied.split()[:-1] if source != "."]
    assert sources
    for source in sources:
        tracked = [source] if (ROOT / source).is_file() else [f"{source}/any.py"]
        assert (ROOT / source).exists() and all(map(in_context, tracked)), source


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("run.sh", True),
        ("system/tasks/shared/labels.md", True),
        ("knowledge_store/bm25.py", True),
        ("knowledge_store/examples/0.json", True),
        ("knowledge_store/dev/0.json", False),
        ("knowledge_store/data/dev.json", False),
        (".git/config", False),
        (".venv/bin/python", False),
        ("system/models/__pycache__/base.pyc", False),
        ("output/submission.csv", False),
    ],
)
def test_the_context_has_code_and_no_data(name, taken):
    assert in_context(name) is taken


@pytest.mark.slow
@each_file
def test_the_first_layer_has_all_that_installing_needs(file, tmp_path):
    for copied in arguments(file, "COPY")[:-1]:
        *sources, target = copied.split()
        (tmp_path / target).mkdir(parents=True, exist_ok=True)
        for source in sources:
            shutil.copy(ROOT / source, tmp_path / target)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", tmp_path / "wheel"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, tmp_path], check=True, timeout=PATIENCE)


class Healthy(Handler):
    def get(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()


def health(tmp_path: Path, command: str, port: int) -> int:
    (tmp_path / "cmdline").write_bytes(command.replace(" ", "\0").encode() + b"\0")
    environment = {"PATH": "/usr/bin:/bin", "CMDLINE": str(tmp_path / "cmdline"), "PORT": str(port)}
    return subprocess.run([HEALTHCHECK], env=environment, capture_output=True, timeout=PATIENCE).returncode


def test_a_service_is_healthy_while_it_answers(tmp_path):
    with serving(Healthy) as server:
        port = server.server_port
        assert health(tmp_path, "python -m system serve --host 0.0.0.0", port) == 0
    assert health(tmp_path, "python -m system serve --host 0.0.0.0", port) != 0
    assert health(tmp_path, "python -m system --output /output", port) == 0
