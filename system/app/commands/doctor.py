"""``factgraph doctor``: what this machine has for the run that the same options would start, and what is missing."""

import asyncio
import platform
import re
import shutil
from collections.abc import Iterator, Sequence
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Annotated, NamedTuple

import psutil
from cyclopts import Parameter

from system.app import options
from system.app.commands.common import EXAMPLE_CLAIMS, EXAMPLE_STORE
from system.app.options import ClaimsFile, SettingOptions, Store
from system.averitec.claims import ClaimsError, read_claims
from system.hardware.machine import choose_profile, torch_if_installed, version_of
from system.models.base import ModelUnavailable
from system.settings import EngineSettings, Settings, load
from system.tasks.base import Adapter

GIB = 2**30
DISTRIBUTION = "got-factcheck"
DRIVER = Path("/proc/driver/nvidia/version")
MEMORY = 3.0  # peak GiB of a run without a language model over the dev split (README)
DISK = 1.0  # GiB; a run over 500 claims leaves 0.06


class State(StrEnum):
    """Severity of a finding; a run works without what is only noted."""

    GOOD = "ok"
    NOTE = "note"
    BAD = "missing"


class Finding(NamedTuple):
    """One thing that was looked at: what, its state, what is there, and what the user can do."""

    subject: str
    state: State
    found: str
    remedy: str = ""


def doctor(
    *,
    claims: ClaimsFile = None,
    knowledge_store: Store = None,
    output: Annotated[Path, Parameter(help="output folder (default: output)")] = Path("output"),
    settings: SettingOptions | None = None,
) -> int:
    """Check that this machine has what a run with the same options needs, and say how to fix what is missing.

    Exit status: 0 a run would work, 1 something that it needs is missing.
    """
    given, named = options.given(settings), (settings or {}).get("profile")
    profile, why = (named, "given with --profile") if named else choose_profile(given)
    chosen = load(profile, given)
    findings = [
        Finding("profile", State.GOOD, f"{profile}: {why}"),
        Finding("Python", State.GOOD, f"{platform.python_version()} on {platform.platform()}"),
        packages(),
        gpu(chosen.model.backend == "vllm"),
        *memory_and_disk(output),
        *examine_models(chosen),
        *examine_inputs(claims or EXAMPLE_CLAIMS, knowledge_store or EXAMPLE_STORE),
    ]
    print_findings(findings)
    return int(any(finding.state is State.BAD for finding in findings))


def print_findings(findings: Sequence[Finding]) -> None:
    """Print a line for each finding, its remedy below, and a summary."""
    from rich.console import Console
    from rich.text import Text

    console, styles = Console(), {State.GOOD: "green", State.NOTE: "yellow", State.BAD: "bold red"}
    for subject, state, found, remedy in findings:
        shown = f"{found}\n        → {remedy}" if remedy else found
        console.print(Text.assemble((f"{state:<8}", styles[state]), (subject, "bold"), f"  {shown}"))
    missing = [one.subject for one in findings if one.state is State.BAD]
    said = f"missing for a run: {', '.join(missing)}" if missing else "this machine has what a run needs"
    console.print(f"\n{said}", markup=False)


def _judged(subject: str, met: object, found: str, remedy: str, otherwise: State = State.BAD) -> Finding:
    """A finding whose remedy is needed only if a condition is not met."""
    return Finding(subject, State.GOOD, found) if met else Finding(subject, otherwise, found, remedy)


def packages() -> Finding:
    """Check that what the project requires is installed, in versions that it allows."""
    from packaging.requirements import Requirement

    try:
        wanted = [Requirement(line) for line in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        return Finding("packages", State.NOTE, f"{DISTRIBUTION} is not installed here", "pip install .")
    wrong = [
        f"{each.name} {found or 'not installed'}, need {each.specifier or 'any version'}"
        for each in wanted
        if not each.marker and not ((found := version_of(each.name)) and each.specifier.contains(found, True))
    ]
    return _judged("packages", not wrong, "; ".join(wrong) or "as required", "scripts/setup.sh, or pip install .")


def gpu(needed: bool) -> Finding:
    """The GPU and its driver, as PyTorch finds them."""
    torch = torch_if_installed()
    driver = re.search(r"\d+\.[\d.]+", DRIVER.read_text()) if DRIVER.exists() else None
    if torch and torch.cuda.is_available():
        one = torch.cuda.get_device_properties(0)
        return Finding("GPU", State.GOOD, f"{one.name}, {one.total_memory / GIB:.1f} GiB, CUDA {torch.version.cuda}")
    if not driver:
        remedy = "run on a machine with an NVIDIA GPU and its driver, or take another profile"
    elif not torch:
        remedy = "scripts/setup.sh gpu"
    else:
        cuda = f"the driver may be too old for CUDA {torch.version.cuda} (conda's cuda-compat helps)"
        remedy = f"see nvidia-smi and CUDA_VISIBLE_DEVICES; {cuda}"
    return _judged("GPU", not needed, f"none that PyTorch finds, driver {driver[0] if driver else 'none'}", remedy)


def memory_and_disk(output: Path) -> Iterator[Finding]:
    """Free main memory, against what a run takes without a language model; room on the disk of the output folder."""
    state = psutil.virtual_memory()
    found = f"{state.available / GIB:.1f} of {state.total / GIB:.1f} GiB free, {psutil.cpu_count()} CPUs"
    yield _judged("memory", state.available >= MEMORY * GIB, found, f"free {MEMORY:.0f} GiB")
    folder = next(place for place in (output.absolute(), *output.absolute().parents) if place.is_dir())
    free = shutil.disk_usage(folder).free
    remedy = f"make room for {DISK:.0f} GiB, or name another folder with --output"
    yield _judged("disk", free >= DISK * GIB, f"{free / GIB:.1f} GiB free at {folder}", remedy)


def examine_models(settings: Settings) -> Iterator[Finding]:
    """Look for all that the profile's models need, without loading any."""
    from system.hardware.weights import find, needed, size
    from system.models.loading import servers_of

    for purpose, name in needed(settings).items():
        folder = find(name)
        found = f"({size(folder) / GIB:.1f} GiB) in {folder}" if folder else "is not on this machine"
        remedy = "factgraph fetch with the same settings, or correct --adapters TASK=FOLDER or NAME, or --model"
        yield _judged(purpose, folder, f"{name} {found}", remedy)
    if settings.model.backend == "server":
        yield from (_server(*server) for server in servers_of(settings))
    elif settings.model.backend == "vllm":
        version = version_of("vllm")
        yield _judged("vllm", version, version or "not installed", "scripts/setup.sh gpu, or pip install '.[gpu]'")


def _server(model: str, adapters: dict[Adapter, str], engine: EngineSettings) -> Finding:
    from system.models.server import ServerModel

    try:
        asyncio.run(ServerModel(model, adapters, engine).close())
    except ModelUnavailable as error:
        return Finding("server", State.BAD, str(error), "follow the advice in the message")
    return Finding("server", State.GOOD, f"{engine.address} has {model}")


def examine_inputs(claims_file: Path, store: Path) -> Iterator[Finding]:
    """Check that the claims can be read, and have stores."""
    from system.collection import store_file

    try:
        claims = read_claims(claims_file)
    except (ClaimsError, OSError) as error:
        yield Finding("claims", State.BAD, str(error), "give the file with --claims")
        return
    yield Finding("claims", State.GOOD, f"{len(claims)} in {claims_file}")
    absent = [claim.id for claim in claims if not store_file(store, claim).is_file()]
    ids = ", ".join(map(str, absent[:5])) + (", …" if absent[5:] else "")
    lacking = f"{len(absent)} of {len(claims)} claims have no store in {store} (claims {ids}): Not Enough Evidence"
    found = lacking if absent else f"one for every claim in {store}"
    remedy = "download the stores again, or give their folder with --knowledge-store"
    yield _judged("stores", not absent, found, remedy, State.BAD if len(absent) == len(claims) else State.NOTE)
