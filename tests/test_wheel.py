"""The project as a wheel: complete, without stores, and working far from any checkout."""

import os
import re
import shutil
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from system import __version__
from tests.helpers.processes import ROOT, run_command

pytestmark = pytest.mark.slow

PACKAGES = ("system", "knowledge_store", "submission", "training")
OTHERS = ("pyproject.toml", "README.md", "LICENSE", "THIRD_PARTY_NOTICES.md")


def files_of_the_packages() -> set[str]:
    """The packages' files, but for what tools leave and for stores that were downloaded."""
    found = (path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file())
    names = {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}
    store = re.compile(r"knowledge_store/(?!examples/|dense/minilm/).*(?<!\.py)(?<!\.toml)(?<!py\.typed)")
    return {name for name in names if not store.fullmatch(name)}


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
    run_command([sys.executable, "-m", "pip", "wheel", *options, folder / "source"])
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """A new environment with the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (site_of(folder) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")  # torch takes minutes
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    run_command([*pip, "install", "--no-deps", "--no-index", "--quiet", wheel])
    return folder


def site_of(environment: Path) -> Path:
    """Where an environment has its packages."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))


def test_the_wheel_has_every_file_of_the_packages_and_its_licenses_but_no_store(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == {name.removeprefix("system/library/") for name in files_of_the_packages()}
    assert f"-{__version__}-" in wheel.name
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "THIRD_PARTY_NOTICES.md"}


def test_the_installed_command_works_without_a_checkout(environment, tmp_path):
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def factgraph(*arguments: str) -> str:
        return run_command([environment / "bin" / "factgraph", *arguments], cwd=tmp_path, env=variables).stdout

    assert factgraph("--version") == f"factgraph {__version__}\n"
    assert str(site_of(environment) / "system" / "examples" / "claims.json") in "".join(factgraph("doctor").split())
    factgraph("--limit", "1", "--output", "results")
    assert (tmp_path / "results" / "report.html").stat().st_size > 10_000
    (tmp_path / "notes.txt").write_text("The Aster bridge opened in 1932.")
    assert "Aster" in factgraph("verify", "The Aster bridge opened in 1931.", "--documents", "notes.txt")


PROGRAM = """
from collections.abc import Iterator

import factgraph
from factgraph import Checked, Claim, ClaimsError, Document, FactChecker, Label


def labels(checker: FactChecker, claims: list[str]) -> Iterator[Label]:
    document = Document("The Aster bridge opened in 1932.", "https://a.example", date="2020-01-01", page=3)
    for checked in checker.check_many(claims, [document]):
        reveal_type(checked)
        yield checked.verdict.label


with FactChecker(profile="laptop", depth=2) as checker:
    checked: Checked = checker.check(Claim("A claim.", date="2020-08-25"), {"a.md": "A text."})
    reveal_type(checked.to_dict())
    reveal_type(checked.evidence[0].passages[0].url)
    try:
        print([*labels(checker, ["A claim."])], factgraph.__version__)
    except ClaimsError as error:
        print(error)
"""
WRONG = """
from factgraph import Claim, Document, FactChecker

FactChecker().check(5, {})
FactChecker().check("A claim.", {"a.md": 5})
Claim(5)
Document("A text.", page="three")
"""


def test_a_program_elsewhere_is_checked_by_mypy(environment, tmp_path):
    """As in the environment of a user, who has the wheel, and not the settings of this project's mypy."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-color-output"]
    command += ["--python-executable", environment / "bin" / "python", "."]
    printed = run_command(command, status=None, cwd=tmp_path).stdout
    notes = re.findall(r"^(\w+)\.py:(\d+): (\w+): (?:Revealed type is \"(.*)\"$)?", printed, re.MULTILINE)
    revealed = [what for program, _, _, what in notes if program == "program"]
    assert revealed[0].endswith(".Checked") and revealed[1:] == ["dict[str, Any]", "str"], printed
    assert {int(line) for program, line, kind, _ in notes if (program, kind) == ("wrong", "error")} == {*range(4, 8)}
