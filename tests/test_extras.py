"""The extras of the project: every combination that the documents name can be installed."""

import os
import sys

import pytest

from tests.helpers.processes import ROOT, run_command

COMBINATIONS = [
    "gpu,serve",  # docs/install.md
    "gpu,ray,serve",  # scripts/docker/gpu.Dockerfile
    "ray,serve",  # scripts/docker/cpu.Dockerfile
    "gpu,train",  # scripts/retrain_adapters.sh
    "gpu,test",  # scripts/prove_gpu.py
    "cpu,test",  # scripts/test_vllm.sh
    "mcp",
    "archive",
    "docs,ray,serve,train",  # scripts/build_docs.sh
    "ray,serve,test,train",  # scripts/test.sh
    "bench",
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
