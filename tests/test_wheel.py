"""The project as a wheel: complete, without stores, and working far from any checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from processes import PATIENCE
from test_constraints import constraints

from system import __version__

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("system", "knowledge_store", "submission", "training")
OTHERS = ("pyproject.toml", "README.md", "LICENSE", "THIRD_PARTY_NOTICES.md")


def files_of_the_packages() -> set[str]:
    """What the packages hold, but for what tools leave and for stores that were downloaded."""
    found = (path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file())
    names = {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}
    return {name for name in names if not re.match(r"knowledge_store/(?!examples/).*(?<!\.py)$", name)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel of the working tree, with downloaded stores beside the code."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in (*files_of_the_packages(), *OTHERS):
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "source" / name)
    for split in ("dev", "data/dev"):
        (folder / "source" / "knowledge_store" / split).mkdir(parents=True)
        (folder / "source" / "knowledge_store" / split / "0.json").write_text("{}")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", folder]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, folder / "source"], check=True, timeout=PATIENCE)
    return next(folder.glob("*.whl"))


def test_the_wheel_has_every_file_of_the_packages_and_no_store(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == files_of_the_packages()


def test_the_wheel_carries_its_version_license_and_notices(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert f"-{__version__}-" in wheel.name
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "THIRD_PARTY_NOTICES.md"}


@pytest.mark.slow
def test_the_wheel_installs_with_the_constraints(wheel):
    """Its requirements and those of all extras that are tested, resolved from what is installed here."""
    extras = ",".join(constraints.extras())
    resolve = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--no-index",
        "--constraint",
        ROOT / "constraints.txt",
    ]
    subprocess.run([*resolve, f"{wheel}[{extras}]"], check=True, timeout=PATIENCE)


@pytest.mark.slow
def test_the_installed_command_works_without_a_checkout(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.check_output([python, "-c", ask], text=True).strip())
    # Its dependencies are those of this environment: to install torch again would take minutes.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel]
    subprocess.run(install, check=True, timeout=PATIENCE)

    def factgraph(*arguments: str) -> str:
        command = [tmp_path / "venv" / "bin" / "factgraph", *arguments]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert factgraph("--version") == f"factgraph {__version__}\n"
    assert str(site / "system" / "examples" / "claims.json") in "".join(factgraph("doctor").split())
    factgraph("--limit", "1", "--output", "results")
    assert (tmp_path / "results" / "report.html").stat().st_size > 10_000
    (tmp_path / "notes.txt").write_text("The Aster bridge opened in 1932.")
    assert "Aster" in factgraph("verify", "The Aster bridge opened in 1931.", "--documents", "notes.txt")
