"""How a run scales over the workers of a Ray cluster: claims a second with 1, 2, 4 and 8 engines of fixed latency.

The engine waits instead of computing, so that any machine can hold many of them and what is measured is the rest: the
driver, Ray, and the ranking processes. Run with:

    python -m scripts.benchmarks.ray --output scaling.json
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from knowledge_store.dense.encoder import Vectors
from system.check import Engine
from system.files.journal import Journal
from system.graph.records import AnswerType, Claim, Label, Source
from system.models.base import Request
from system.models.scripted import Line, ScriptedModel
from system.runner.checker import WorkerReport
from system.runner.cluster import ClusterChecker
from system.runner.run import run
from system.settings import Settings
from system.strategies.steps.tasks.answer_question import AnswerQuestion, AnswerReply
from system.strategies.steps.tasks.ask_question import AskQuestion, QuestionReply
from system.strategies.steps.tasks.judge_claim import VerdictReply
from system.strategies.steps.tasks.merge_answers import MergeAnswers, MergeReply

WORKERS = (1, 2, 4, 8)
PAGES = [{"url": f"https://example.org/{i}", "url2text": [f"Sentence {i} about the bridge."] * 20} for i in range(20)]


class HashEncoder:
    """Texts as reproducible random directions: costs nothing, and no two questions count as the same."""

    dimension = 32

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed texts, (len(texts), 32) float32."""
        rows = [np.random.default_rng(list(text.encode())).normal(size=self.dimension) for text in texts]
        vectors = np.asarray(rows, dtype=np.float32).reshape(len(texts), self.dimension)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    encode_queries = encode


async def reply(latency: float, request: Request) -> Line:
    """An ordinary reply to a request of the Graph of Thoughts, after ``latency`` seconds."""
    await asyncio.sleep(latency)
    match request.task:
        case AskQuestion(index=index):
            return QuestionReply(question=f"What is known of bridge {index}?")
        case AnswerQuestion(passage=passage):
            return AnswerReply(source=Source.EVIDENCE, type=AnswerType.EXTRACTIVE, answer=passage.text[:40])
        case MergeAnswers(answers=answers):
            return MergeReply(answer=answers[0].text, sources=[1])
    return VerdictReply(justification="It stands there.", label=Label.SUPPORTED)


def load_engine(latency: float, settings: Settings) -> Engine:
    """An engine of fixed latency."""
    return Engine(ScriptedModel(partial(reply, latency)), HashEncoder(), settings)


async def measure(
    address: str, workers: int, per_worker: int, latency: float, store: Path
) -> tuple[float, float, list[WorkerReport]]:
    """Check ``per_worker`` claims for each worker, once all workers have their engines.

    Returns:
        Wall seconds, the driver's own CPU seconds, and the workers.
    """
    settings = Settings()
    claims = [Claim(id=i, text=f"Bridge {i} opened in 1932.") for i in range(workers * per_worker)]
    with tempfile.TemporaryDirectory() as output, Journal(Path(output) / "journal.jsonl", {}, resume=False) as journal:
        async with ClusterChecker(address, partial(load_engine, latency, settings), store, claims, settings) as checker:
            while not all(worker.pid for worker in checker.workers):
                await asyncio.sleep(0.1)
            await asyncio.gather(*map(checker.check, claims[:workers]))  # one each, which starts the ranking processes
            began, used = time.perf_counter(), time.process_time()
            await run(checker, claims, Path(output), journal)
            return time.perf_counter() - began, time.process_time() - used, checker.workers


def measure_on_cluster(workers: int, args: argparse.Namespace, store: Path) -> dict[str, float]:
    """Start a cluster with a node for each worker, and measure on it."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(workers):
            cluster.add_node(num_cpus=2, object_store_memory=100 * 2**20)
        wall, cpu, reports = asyncio.run(measure(cluster.address, workers, args.claims, args.latency, store))
    finally:
        cluster.shutdown()
    claims = workers * args.claims
    return {
        "workers": workers,
        "claims": claims,
        "seconds": round(wall, 2),
        "claims_per_second": round(claims / wall, 3),
        "driver_cpu_ms_per_claim": round(1000 * cpu / claims, 1),
        "seconds_a_claim": round(sum(report.seconds for report in reports) / (claims + workers), 2),
    }


def main() -> None:
    """Measure and print a table; the efficiency is against one worker."""
    parser = argparse.ArgumentParser(description="Claims a second of a run on 1, 2, 4 and 8 Ray workers.")
    parser.add_argument("--claims", type=int, default=20, help="claims for each worker (default: 20)")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds that a request takes (default: 0.5)")
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS, help="numbers of workers (default: 1 2 4 8)")
    parser.add_argument("--output", type=Path, help="file for the figures, as JSON")
    args = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.json"
        store.write_bytes(b"\n".join(map(orjson.dumps, PAGES)))
        for workers in args.workers:
            row = measure_on_cluster(workers, args, store)
            first = rows[0] if rows else row
            ideal = first["claims_per_second"] * workers / first["workers"]
            rows.append({**row, "efficiency": round(row["claims_per_second"] / ideal, 3)})
            print(rows[-1], flush=True)
    if args.output:
        args.output.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
