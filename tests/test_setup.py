"""scripts/setup.sh, with stubs for the installers: which files of the packages remain."""

import os
import shutil
import sys

import pytest

from tests.helpers.processes import ROOT, run_command

NEEDED = {"openvino/libs/libopenvino_intel_cpu_plugin.so"}
SPARE = {"openvino/libs/libopenvino_intel_gpu_plugin.so", "openvino/libs/libopenvino_intel_npu_plugin.so"}


@pytest.mark.parametrize(
    ("extras", "gpu", "left"), [([], False, NEEDED), (["train"], False, NEEDED), ([], True, NEEDED | SPARE)]
)
def test_only_what_runs_without_a_gpu_stays_without_one(tmp_path, extras, gpu, left):
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/setup.sh", "scripts/environment.sh", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, tmp_path / name)
    packages = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    stubs = {".venv/bin/pip": 0, ".venv/bin/python": 0, "stubs/uv": 0, "stubs/nvidia-smi": int(not gpu)}
    for file, status in {**{packages / name: 0 for name in NEEDED | SPARE}, **stubs}.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(f"#!/bin/sh\nexit {status}\n")
        (tmp_path / file).chmod(0o755)
    environment = {"PATH": f"{tmp_path / 'stubs'}:{os.environ['PATH']}", "PYTHON": sys.executable}
    run_command([tmp_path / "scripts" / "setup.sh", *extras], env=environment)
    path_file = packages / "factgraph.pth"
    assert path_file.read_text().split() == [str(tmp_path), str(tmp_path / "system" / "library")]
    files = {file.relative_to(packages).as_posix() for file in packages.rglob("*") if file.is_file()}
    assert files - {path_file.name} == left
