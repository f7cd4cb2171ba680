"""scripts/setup.sh, with stubs for what installs: what is left of the packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
NEEDED = {"torch/lib/libtorch_cpu.so", "torch/bin/torch_shm_manager", "openvino/libs/libopenvino_intel_cpu_plugin.so"}
SPARE = {
    "torch/include/ATen/ATen.h",
    "torch/test/Dict_test",
    "torch/bin/test_api",
    "openvino/libs/libopenvino_intel_gpu_plugin.so",
    "openvino/libs/libopenvino_intel_npu_plugin.so",
}


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose packages are installed already, and commands that do nothing; nvidia-smi finds no GPU."""
    (tmp_path / "scripts").mkdir()
    for name in ("setup.sh", "environment.sh"):
        shutil.copy2(ROOT / "scripts" / name, tmp_path / "scripts")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, tmp_path)
    for name in NEEDED | SPARE:
        file = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for name, status in {".venv/bin/pip": 0, ".venv/bin/python": 0, "stubs/uv": 0, "stubs/nvidia-smi": 1}.items():
        stub = tmp_path / name
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(f"#!/bin/sh\nexit {status}\n")
        stub.chmod(0o755)
    return tmp_path


def set_up(checkout, *extras):
    """The packages' files that are left."""
    environment = {"PATH": f"{checkout / 'stubs'}:{os.environ['PATH']}", "PYTHON": sys.executable}
    command = [checkout / "scripts" / "setup.sh", *extras]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=PATIENCE)
    packages = checkout / ".venv" / "lib" / "python3.11" / "site-packages"
    path_file = packages / "factgraph.pth"
    assert path_file.read_text().split() == [str(checkout), str(checkout / "system" / "library")]
    return {file.relative_to(packages).as_posix() for file in packages.rglob("*") if file.is_file()} - {path_file.name}


def test_without_a_gpu_only_what_is_needed_stays(checkout):
    assert set_up(checkout) == NEEDED


@pytest.mark.parametrize("extra", ["gpu", "cpu"])
def test_for_vllm_everything_stays(checkout, extra):
    assert set_up(checkout, extra) == NEEDED | SPARE


def test_with_a_gpu_everything_stays(checkout):
    (checkout / "stubs" / "nvidia-smi").write_text("#!/bin/sh\nexit 0\n")
    assert set_up(checkout) == NEEDED | SPARE
