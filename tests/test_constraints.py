"""constraints.txt: every package that the project stands on, in the version that is tested here."""

import tomllib
from importlib.metadata import PackageNotFoundError, version

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers.processes import ROOT


def recorded() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def installed(name: str) -> str | None:
    try:
        return version(name).partition("+")[0]  # without +cpu, which names a build
    except PackageNotFoundError:
        return None


def test_packages_are_installed_in_the_recorded_version() -> None:
    found = {name: installed(name) for name in recorded()}
    other = {name: one for name, one in found.items() if one not in (None, recorded()[name])}
    assert not other, "run scripts/setup.sh, or scripts/constraints.sh to record a change"
    assert sum(map(bool, found.values())) > 100


def test_every_requirement_has_a_recorded_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: of for name, of in project["optional-dependencies"].items() if name not in ("gpu", "cpu")}
    required = [Requirement(line) for lines in (project["dependencies"], *extras.values()) for line in lines]
    assert {canonicalize_name(one.name) for one in required} <= set(recorded())
    assert all(one.specifier.contains(recorded()[canonicalize_name(one.name)]) for one in required)
