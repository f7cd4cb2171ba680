"""What the project requires: in constraints.txt the versions tested here, and extras that can be installed together."""

import os
import sys
import tomllib
from importlib.metadata import distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers.processes import ROOT, run_command


def recorded() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_packages_are_installed_in_the_recorded_version() -> None:
    found = {canonicalize_name(one.name): one.version.partition("+")[0] for one in distributions()}  # +cpu is a build
    both = found.keys() & recorded().keys()
    other = {name: found[name] for name in both if found[name] != recorded()[name]}
    assert not other, "run scripts/setup.sh, or scripts/constraints.sh to record a change"
    assert len(both) > 100


def test_every_requirement_has_a_recorded_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: of for name, of in project["optional-dependencies"].items() if name not in ("gpu", "cpu")}
    required = [Requirement(line) for lines in (project["dependencies"], *extras.values()) for line in lines]
    assert {canonicalize_name(one.name) for one in required} <= set(recorded())
    assert all(one.specifier.contains(recorded()[canonicalize_name(one.name)]) for one in required)


COMBINATIONS = [  # what resolves together does so alone
    "gpu,ray,serve",  # scripts/docker/gpu.Dockerfile
    "gpu,train",  # scripts/retrain_adapters.sh
    "gpu,test",  # scripts/prove_gpu.py
    "cpu,test",  # scripts/test_vllm.sh
    "docs,ray,score,serve,train",  # scripts/build_docs.sh
    "ray,score,serve,test,train",  # scripts/test.sh
    "archive,bench,hub,mcp,ray,serve",  # scripts/docker/cpu.Dockerfile, and those that are named alone
]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12"])
@pytest.mark.parametrize("extras", COMBINATIONS)
def test_uv_resolves_it(extras, version):
    options = [option for extra in extras.split(",") for option in ("--extra", extra)]
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--python-version", version, *options]
    environment = dict(os.environ)
    if "cpu" in extras.split(","):  # which asks for torch's build for CPUs, from PyTorch's own index or from a folder
        if version == "3.12" and "PIP_FIND_LINKS" in environment:
            pytest.skip("the folder of wheels has torch for one Python")
        environment.setdefault(
            "UV_FIND_LINKS", environment.get("PIP_FIND_LINKS", "https://download.pytorch.org/whl/cpu")
        )
    run_command([*command, ROOT / "pyproject.toml"], env=environment)
