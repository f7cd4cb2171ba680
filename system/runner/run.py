"""Run: many claims through one engine, several at a time, each safe on disk before it counts."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import orjson
from tqdm import tqdm

from system.check import Engine, check
from system.graph import Graph
from system.records import Claim, ClaimResult
from system.runner.journal import Journal
from system.runner.ranking_pool import RankingPool


async def run(
    engine: Engine, claims: Sequence[Claim], store: Path, output: Path, journal: Journal
) -> list[ClaimResult]:
    """Check the claims that the journal does not hold yet.

    Args:
        store: folder with one store per claim id, or one file for all.
        output: folder for the graphs; the journal is open already.

    Returns:
        The results of all claims, those of the journal included, in the order of ``claims``.
    """
    done = {result.claim.id for result in journal.finished}
    settings = engine.settings.run
    waiting = asyncio.Semaphore(settings.in_flight + settings.ahead)
    working = asyncio.Semaphore(settings.in_flight)
    graphs = output / "graphs"
    graphs.mkdir(parents=True, exist_ok=True)
    left = [claim for claim in claims if claim.id not in done]
    progress = tqdm(total=len(claims), initial=len(done), unit="claim", desc="checking", smoothing=0.05)

    with progress, RankingPool(store, engine.settings.retrieval, settings.workers) as pool:

        async def finish(claim: Claim) -> None:
            async with waiting:  # bounds the ranked stores in memory
                ranked, failures = await pool.rank(claim)
                async with working:
                    result, graph = await check(engine, claim, ranked, failures)
                    save_graph(graph, graphs / f"{claim.id}.json")
                    journal.append(result)
                    progress.update()

        async with asyncio.TaskGroup() as group:
            for claim in left:
                group.create_task(finish(claim))
    by_id = {result.claim.id: result for result in journal.finished}
    return [by_id[claim.id] for claim in claims]


def save_graph(graph: Graph, path: Path) -> None:
    """Write a graph whole or not at all."""
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(orjson.dumps(graph.to_json()))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
