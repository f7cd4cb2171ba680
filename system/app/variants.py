"""Variants: a strategy with settings changed, as in ``got:debate=false:branches=1``, run beside others."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from system.check import Engine, check
from system.records import Claim, ClaimResult
from system.runner.ranking_pool import RankingPool
from system.settings import SECTIONS, Settings, SettingsError, load
from system.strategies import STRATEGIES

REPEATS = 5  # where sampling is on, as in DebateCV, section 5.1
LOADED_ONCE = ("model", "engine", "retrieval", "run")  # sections that all variants share


@dataclass(frozen=True)
class Variant:
    """A strategy with its settings; ``name`` is what the user wrote."""

    name: str
    settings: Settings


def parse_variants(text: str, profile: str, given: dict[str, Any]) -> list[Variant]:
    """The variants of a list such as ``got,got:debate=false,carp:claim_graph=false``.

    Args:
        given: settings of the command line that hold for all variants.

    Raises:
        SettingsError: no such strategy or setting, a setting that all variants share, or a variant named twice.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise SettingsError(f"--strategies {text!r}: expected different strategies, separated by commas")
    return [Variant(name, load(profile, {**given, **_changes(name)})) for name in names]


def _changes(name: str) -> dict[str, str]:
    strategy, *changes = name.split(":")
    if strategy not in STRATEGIES:
        raise SettingsError(f"--strategies: no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    values = {"strategy": strategy}
    for change in changes:
        setting, separator, value = change.partition("=")
        own = [
            field for section, fields in SECTIONS.items() if section not in LOADED_ONCE for field in fields.model_fields
        ]
        if not separator or setting not in own:
            raise SettingsError(
                f"--strategies {name!r}: expected setting=value with one of {', '.join(own)}; got {change!r}"
            )
        values[setting] = value
    return values


def repeats_of(settings: Settings) -> int:
    """How often a comparison runs each claim: once on a deterministic backend, otherwise with five seeds."""
    sampled = settings.model.backend != "extractive" and settings.model.temperature > 0
    return REPEATS if sampled else 1


async def run_variants(
    engine: Engine, variants: Sequence[Variant], claims: Sequence[Claim], store: Path, repeats: int
) -> dict[str, list[list[ClaimResult]]]:
    """Check the same claims with all variants: each store is read and ranked once for all of them.

    Returns:
        For each variant its repeats, each with the results in the order of ``claims``.
    """
    run = engine.settings.run
    working = asyncio.Semaphore(run.max_concurrent_claims)
    jobs = [(variant.name, with_seed(engine, variant, repeat)) for variant in variants for repeat in range(repeats)]
    progress = tqdm(total=len(claims) * len(jobs), unit="check", desc="comparing", smoothing=0.05)

    with progress, RankingPool(store, engine.settings.retrieval, run.workers, run.budget) as pool:

        async def finish(claim: Claim) -> list[ClaimResult]:
            async with working:
                ranked, failures = await pool.rank(claim)
                results = []
                for _, one in jobs:
                    results.append((await check(one, claim, ranked, failures))[0])
                    progress.update()
                return results

        async with asyncio.TaskGroup() as group:
            running = [group.create_task(finish(claim)) for claim in claims]
    runs: dict[str, list[list[ClaimResult]]] = {variant.name: [] for variant in variants}
    for (name, _), results in zip(jobs, zip(*(task.result() for task in running), strict=True), strict=True):
        runs[name].append(list(results))
    return runs


def with_seed(engine: Engine, variant: Variant, repeat: int) -> Engine:
    """The engine with a variant's settings and, for a further repeat, another seed."""
    model = variant.settings.model
    seeded = model.model_copy(update={"seed": model.seed + 1000 * repeat})
    return replace(engine, settings=variant.settings.model_copy(update={"model": seeded}))
