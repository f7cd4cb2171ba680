"""The machine: Python, packages, GPU and driver, memory, disk."""

import platform
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

import psutil
from packaging.requirements import Requirement

from system.app.doctor.findings import Finding, bad, good, note

DISTRIBUTION = "got-factcheck"
GIB = 2**30

DRIVERS = {11: 450, 12: 525, 13: 580}
"""Oldest driver of a CUDA release (NVIDIA, CUDA Compatibility, table 1)."""

MEMORY = 3.0  # GiB that a run took without a language model, at most, over the dev split (README)
DISK = 1.0  # GiB; a run over 500 claims leaves 0.06


def examine_machine(output: Path, needs_gpu: bool) -> Iterator[Finding]:
    """Look at all of it.

    Args:
        output: the folder that a run would write.
        needs_gpu: whether the profile's backend runs on a GPU alone.
    """
    yield good("Python", f"{platform.python_version()} on {platform.platform()}")
    yield from packages()
    yield gpu(needs_gpu)
    yield memory()
    yield disk(output)


def packages() -> Iterator[Finding]:
    """Whether what the project requires is installed, in versions that it allows; and which extras are."""
    try:
        wanted = [Requirement(line) for line in requires(DISTRIBUTION) or ()]
        extras = metadata(DISTRIBUTION).get_all("Provides-Extra") or []
    except PackageNotFoundError:
        yield note("packages", f"{DISTRIBUTION} is not installed here; its requirements are unknown", "pip install .")
        return
    wrong = _wrong(wanted, "")
    yield (
        bad("packages", "; ".join(wrong), "install the project again: scripts/setup.sh, or pip install .")
        if wrong
        else good("packages", "as required")
    )
    absent = [extra for extra in extras if _wrong(wanted, extra)]
    yield good("extras", ", ".join(extra for extra in extras if extra not in absent) or "none")
    if absent:
        yield note("other extras", ", ".join(absent), "where wanted: scripts/setup.sh NAME, or pip install '.[NAME]'")


def _wrong(wanted: list[Requirement], extra: str) -> list[str]:
    """Requirements, of an extra or of the project itself (""), that are not met."""
    return [
        f"{each.name} {found or 'absent'}, {each.specifier or 'any version'} wanted"
        for each in wanted
        if _applies(each, extra) and not ((found := _version(each.name)) and each.specifier.contains(found, True))
    ]


def _applies(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    if extra:
        return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})
    return marker is None or marker.evaluate({"extra": ""})


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def gpu(needed: bool) -> Finding:
    """The GPU, its driver, and the CUDA release that torch was built for."""
    import torch

    driver, cuda = _driver(), torch.version.cuda
    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(0)
        memory_gib = properties.total_memory / GIB
        return good("GPU", f"{properties.name}, {memory_gib:.1f} GiB, driver {driver}, CUDA {cuda}")
    if not driver:
        remedy = "run on a machine with an NVIDIA GPU and its driver, or take another profile"
        return bad("GPU", "none", remedy) if needed else good("GPU", "none, and the profile needs none")
    unusable = bad if needed else note
    if not cuda:
        return unusable(
            "GPU", f"driver {driver}, but torch {torch.__version__} cannot use it", "pip install torch==2.13.0"
        )
    oldest = DRIVERS.get(int(cuda.split(".")[0]), 0)
    if int(driver.split(".")[0]) < oldest:
        remedy = (
            f"install driver {oldest} or newer; on a data-centre GPU, NVIDIA's package "
            f"cuda-compat-{cuda.replace('.', '-')} with its folder in LD_LIBRARY_PATH will do"
        )
        return bad("GPU", f"driver {driver} is too old for CUDA {cuda}", remedy)
    return unusable("GPU", f"driver {driver}, but torch finds no device", "see nvidia-smi and CUDA_VISIBLE_DEVICES")


def _driver() -> str:
    """Version of the NVIDIA driver, or nothing."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return next(iter(done.stdout.split()), "")


def memory() -> Finding:
    """Main memory that is free, against what a run takes without a language model."""
    state = psutil.virtual_memory()
    found = f"{state.available / GIB:.1f} of {state.total / GIB:.1f} GiB free, {psutil.cpu_count()} CPUs"
    if state.available < MEMORY * GIB:
        return bad("memory", found, f"free {MEMORY:.0f} GiB")
    return good("memory", found)


def disk(output: Path) -> Finding:
    """Room on the disk of the output folder, or of the nearest folder above it that exists."""
    folder = next(place for place in (output.absolute(), *output.absolute().parents) if place.is_dir())
    free = shutil.disk_usage(folder).free
    found = f"{free / GIB:.1f} GiB free at {folder}"
    if free < DISK * GIB:
        return bad("disk", found, f"make room for {DISK:.0f} GiB, or name another folder with --output")
    return good("disk", found)
