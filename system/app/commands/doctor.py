"""``factgraph doctor``: what this machine has for the run that the same options would start, and what is missing."""

import asyncio
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, metadata, requires
from importlib.util import find_spec
from pathlib import Path

import psutil
from packaging.requirements import Requirement
from rich.console import Console
from rich.table import Table
from rich.text import Text

from system.app import options
from system.app.commands.common import EXAMPLE_CLAIMS, EXAMPLE_STORE
from system.app.parsers import doctor as parser
from system.averitec.claims import ClaimsError, read_claims
from system.collection import store_file
from system.hardware.machine import choose_profile, version_of
from system.hardware.weights import GIB, find, needed, size
from system.models.base import ModelUnavailable
from system.models.loading import models_of
from system.settings import Settings, load
from system.tasks.base import Adapter


class State(StrEnum):
    """How a finding bears on a run."""

    GOOD = "ok"
    NOTE = "note"  # a run works without
    BAD = "missing"  # a run fails


STYLES = {State.GOOD: "green", State.NOTE: "yellow", State.BAD: "bold red"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        subject: what, in a word or two.
        found: what is there.
        remedy: what the user can do; every BAD finding has one.
    """

    subject: str
    state: State
    found: str
    remedy: str = ""


def command(arguments: Sequence[str]) -> int:
    """Examine the machine and print what was found.

    Returns:
        0 when a run would work, 1 when something that it needs is missing.
    """
    from submission.legacy.resources import local_wordnet  # only here: NLTK takes its time

    args = options.parse(parser(), arguments)
    given = options.given_settings(args)
    profile, why = (args.profile, "given with --profile") if args.profile else choose_profile(given)
    settings = load(profile, given)
    findings = [
        good("profile", f"{profile}: {why}"),
        *examine_machine(args.output, needs_gpu=settings.model.backend == "vllm"),
        *examine_models(settings),
        *examine_inputs(args.claims or EXAMPLE_CLAIMS, args.knowledge_store or EXAMPLE_STORE, local_wordnet()),
    ]
    print_findings(findings, Console())
    return int(any(finding.state is State.BAD for finding in findings))


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print a line a finding, with its remedy below, and a sentence in the end."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for finding in findings:
        remedy = f"\n→ {finding.remedy}" if finding.remedy else ""
        table.add_row(
            Text(finding.state, style=STYLES[finding.state]),
            Text(finding.subject, style="bold"),
            Text(finding.found + remedy),
        )
    console.print(table)
    console.print(f"\n{_summary(findings)}", markup=False)


def _summary(findings: Sequence[Finding]) -> str:
    missing = [finding.subject for finding in findings if finding.state is State.BAD]
    return f"missing for a run: {', '.join(missing)}" if missing else "this machine has what a run needs"


def good(subject: str, found: str) -> Finding:
    """A finding that is as it should be."""
    return Finding(subject, State.GOOD, found)


def note(subject: str, found: str, remedy: str) -> Finding:
    """A finding that a run works without."""
    return Finding(subject, State.NOTE, found, remedy)


def bad(subject: str, found: str, remedy: str) -> Finding:
    """A finding that a run fails for."""
    return Finding(subject, State.BAD, found, remedy)


DISTRIBUTION = "got-factcheck"

DRIVERS = {11: 450, 12: 525, 13: 580}
"""Oldest driver of a CUDA release (NVIDIA, CUDA Compatibility, table 1)."""

MEMORY = 3.0  # peak GiB of a run without a language model over the dev split (README)
DISK = 1.0  # GiB; a run over 500 claims leaves 0.06


def examine_machine(output: Path, needs_gpu: bool) -> Iterator[Finding]:
    """Examine everything.

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
        yield note("other extras", ", ".join(absent), "to install one: scripts/setup.sh NAME, or pip install '.[NAME]'")


def _wrong(wanted: list[Requirement], extra: str) -> list[str]:
    """Requirements, of an extra or of the project itself (""), that are not met."""
    return [
        f"{each.name} {found or 'not installed'}, need {each.specifier or 'any version'}"
        for each in wanted
        if _applies(each, extra) and not ((found := version_of(each.name)) and each.specifier.contains(found, True))
    ]


def _applies(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    if extra:
        return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})
    return marker is None or marker.evaluate({"extra": ""})


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
            f"install driver {oldest} or newer; on a data-center GPU you can instead install NVIDIA's package "
            f"cuda-compat-{cuda.replace('.', '-')} and put its folder in LD_LIBRARY_PATH"
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


def examine_models(settings: Settings) -> Iterator[Finding]:
    """Look for all that the profile's models need, without loading any."""
    if settings.model.backend == "vllm" and not find_spec("vllm"):
        yield bad("vllm", "not installed", "scripts/setup.sh gpu, or pip install '.[gpu]'")
    found = {weights: find(weights.name) for weights in needed(settings)}
    for weights, folder in found.items():
        if folder is None:
            yield bad(
                weights.purpose, f"{weights.name} is not on this machine", "factgraph fetch with the same settings"
            )
        else:
            yield good(weights.purpose, f"{weights.name} ({size(folder) / GIB:.1f} GiB) in {folder}")
    if settings.model.backend == "server":
        yield from map(_server, models_of(settings))
    elif settings.model.backend != "extractive":
        yield _adapters_named(settings)
        if find(settings.model.model):
            yield from _fit(settings)


def _adapters_named(settings: Settings) -> Finding:
    names = settings.model.adapters
    absent = [f"{adapter} ({name})" for adapter, name in names.items() if not (Path(name).is_dir() or find(name))]
    if absent:
        remedy = "correct --adapters TASK=FOLDER or NAME, fetch them with factgraph fetch, or train them"
        return bad("adapters", f"not on this machine: {', '.join(absent)}", remedy)
    return good("adapters", ", ".join(names) or "none; the base model does every task, with full instructions")


def _fit(settings: Settings) -> Iterator[Finding]:
    """Whether adapters fit the model, and model and cache the device."""
    from system.hardware.memory import skeleton
    from system.models.adapters import base_mark, check_adapters

    name = settings.model.model
    try:
        bare = skeleton(str(find(name)))
        check_adapters(_folders(settings), bare, base_mark(name))
        plan = _vllm_plan(bare, settings) if settings.model.backend == "vllm" else _main_memory(name)
    except ModelUnavailable as error:
        yield bad("memory plan", str(error), "follow the advice in the message")
    else:
        yield plan


def _folders(settings: Settings) -> dict[Adapter, str]:
    return {task: str(find(name) or name) for task, name in settings.model.adapters.items()}


def _vllm_plan(bare: object, settings: Settings) -> Finding:
    from system.hardware.machine import usable_memory
    from system.hardware.memory import plan_memory
    from system.models.adapters import served_rank

    usable = usable_memory()
    plan = plan_memory(
        bare,
        settings.engine,
        device=usable or int(settings.engine.gpu_memory * GIB),
        adapters=len(settings.model.adapters),
        rank=served_rank(_folders(settings)),
        graphs=True,
    )
    whole = plan.kv_tokens // settings.engine.context
    claims = f"{whole} requests of {settings.engine.context:,} tokens fit at once; others wait, or are preempted"
    return good("memory plan", f"{'this GPU' if usable else 'the GPU that the profile is for'}: {claims}\n{plan}")


def _main_memory(name: str) -> Finding:
    """Weights against main memory, where transformers computes without a GPU."""
    folder = find(name)
    wanted, free = size(folder) if folder else 0, psutil.virtual_memory().available
    found = f"weights need {wanted / GIB:.1f} GiB, {free / GIB:.1f} GiB are free"
    if wanted > free:
        return bad("memory plan", found, "take a smaller model, or free memory")
    return good("memory plan", found)


def _server(settings: Settings) -> Finding:
    from system.models.server import ServerModel

    name, address = settings.model.model, settings.engine.address
    try:
        asyncio.run(ServerModel(name, settings.model.adapters, settings.engine).close())
    except ModelUnavailable as error:
        return bad("server", str(error), "follow the advice in the message")
    return good("server", f"{address} has {name}")


def examine_inputs(claims_file: Path, store: Path, wordnet: object) -> Iterator[Finding]:
    """Look at the files of a run.

    Args:
        wordnet: where WordNet is, or None.
    """
    try:
        claims = read_claims(claims_file)
    except (ClaimsError, OSError) as error:
        yield bad("claims", str(error), "give the file with --claims")
    else:
        yield good("claims", f"{len(claims)} in {claims_file}")
        absent = [claim.id for claim in claims if not store_file(store, claim).is_file()]
        yield _stores(store, len(claims), absent)
    yield (
        good("WordNet", str(wordnet))
        if wordnet
        else note(
            "WordNet", "not found; the 2024 score cannot be computed", "apt install wordnet-base wordnet-sense-index"
        )
    )


def _stores(store: Path, claims: int, absent: list[int]) -> Finding:
    if not absent:
        return good("stores", f"one for every claim in {store}")
    ids = ", ".join(map(str, absent[:5])) + (", …" if absent[5:] else "")
    found = (
        f"{len(absent)} of {claims} claims have no store in {store} (claims {ids}) and would get Not Enough Evidence"
    )
    remedy = "download the stores again, or give their folder with --knowledge-store"
    return bad("stores", found, remedy) if len(absent) == claims else note("stores", found, remedy)
