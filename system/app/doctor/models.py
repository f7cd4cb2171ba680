"""The models of a profile: its backend, weights, adapters, the memory plan, or the server that has them."""

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil

from system.app.doctor.findings import Finding, bad, good
from system.models import models_of
from system.models.base import ModelUnavailable
from system.settings import Settings
from system.weights import find, needed, size

GIB = 2**30


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
    folders = settings.model.adapters
    absent = [f"{adapter} ({folder})" for adapter, folder in folders.items() if not Path(folder).is_dir()]
    if absent:
        return bad("adapters", f"no such folder: {', '.join(absent)}", "correct --adapters TASK=FOLDER, or train them")
    return good("adapters", ", ".join(folders) or "none; the base model does every task, with full instructions")


def _fit(settings: Settings) -> Iterator[Finding]:
    """Whether adapters fit the model, and model and cache the device."""
    from system.models.adapters import base_mark, check_adapters
    from system.models.memory import skeleton

    name = settings.model.model
    try:
        bare = skeleton(str(find(name)))
        check_adapters(settings.model.adapters, bare, base_mark(name))
        plan = _vllm_plan(bare, settings) if settings.model.backend == "vllm" else _main_memory(name)
    except ModelUnavailable as error:
        yield bad("memory plan", str(error), "the message says what to change")
    else:
        yield plan


def _vllm_plan(bare: object, settings: Settings) -> Finding:
    from system.machine import usable_memory
    from system.models.adapters import served_rank
    from system.models.memory import plan_memory

    usable = usable_memory()
    plan = plan_memory(
        bare,
        settings.engine,
        device=usable or int(settings.engine.gpu_memory * GIB),
        adapters=len(settings.model.adapters),
        rank=served_rank(settings.model.adapters),
        graphs=not settings.engine.eager,
    )
    whole = plan.kv_tokens // settings.engine.context
    claims = f"{whole} requests of {settings.engine.context:,} tokens at the same time; more wait, or are preempted"
    return good("memory plan", f"of {'this GPU' if usable else 'the GPU that the profile is for'}: {claims}\n{plan}")


def _main_memory(name: str) -> Finding:
    """Weights against main memory, where transformers computes without a GPU."""
    folder = find(name)
    wanted, free = size(folder) if folder else 0, psutil.virtual_memory().available
    found = f"weights take {wanted / GIB:.1f} GiB of {free / GIB:.1f} that are free"
    if wanted > free:
        return bad("memory plan", found, "take a smaller model, or free memory")
    return good("memory plan", found)


def _server(settings: Settings) -> Finding:
    from system.models.server import ServerModel

    name, address = settings.model.model, settings.engine.address
    try:
        asyncio.run(ServerModel(name, settings.model.adapters, settings.engine).close())
    except ModelUnavailable as error:
        return bad("server", str(error), "the message says what to change")
    return good("server", f"{address} has {name}")
