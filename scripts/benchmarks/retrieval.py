"""Time the first stage of retrieval (read, cut, rank) beside rank-bm25 and bm25s on the same stores and claims.

    python -m scripts.benchmarks.retrieval STORE.json… [--others-up-to MB]

Each engine ranks each store three times, each time in a fresh process; the median time counts. The other engines get
passages that plain Python cuts and frees of copies. rank-bm25 counts the same words as ours, bm25s has a tokenizer of
its own. Engines that are not installed (scripts/setup.sh bench) are skipped.
"""

import argparse
import os
import platform
import resource
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
import orjson

from knowledge_store.bm25.passages import passages_of
from knowledge_store.pages.page import Flaws, Page, Passage, normalized
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import rank, warm_up
from knowledge_store.settings import BM25_TOP_K, RetrievalSettings
from knowledge_store.tokenization import tokenize

REPEATS = 3
Engine = Callable[[list[str], str, RetrievalSettings], Sequence[int]]
"""Ranks texts for a claim and returns the positions of the best, best first."""


class Timing(NamedTuple):
    """Wall seconds, processor seconds over all threads, and peak memory in MB of one engine with one store."""

    seconds: float
    cpu: float
    memory: float
    best: tuple[tuple[int, int], ...]  # keys of the passages kept, best first


def measure(engine: str, store: Path, settings: RetrievalSettings) -> Timing:
    """Rank a store for the claim that it was made for."""
    with store.open("rb") as lines:
        claim = orjson.loads(next(lines))["query"]
    if engine == "ours":
        warm_up()
    began, busy = perf_counter(), process_time()
    if engine == "ours":
        best = [passage.key for passage in rank(store, claim, settings).passages]
    else:
        passages = list(distinct_passages(list(read_pages(store, Flaws())), settings))
        order = ENGINES[engine]([passage.text for passage in passages], claim, settings)
        best = [passages[position].key for position in order]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Timing(perf_counter() - began, process_time() - busy, memory, tuple(best))


def median(engine: str, store: Path, settings: RetrievalSettings) -> Timing:
    """Return the run of the median time, of ``REPEATS`` in fresh processes."""
    runs = []
    for _ in range(REPEATS):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            runs.append(process.submit(measure, engine, store, settings).result())
    return sorted(runs, key=lambda timing: timing.seconds)[REPEATS // 2]


def distinct_passages(pages: Sequence[Page], settings: RetrievalSettings) -> Iterator[Passage]:
    """Cut pages as retrieval does, without copies of pages and passages."""
    texts, cuts = set(), set()
    for page in pages:
        whole = normalized(page.text)
        if whole not in texts:
            texts.add(whole)
            for passage in passages_of(page, settings):
                if (known := normalized(passage.text)) and known not in cuts:
                    cuts.add(known)
                    yield passage


def rank_bm25(texts: list[str], claim: str, settings: RetrievalSettings) -> Sequence[int]:
    """Rank by the reference implementation."""
    from rank_bm25 import BM25Okapi

    scores = BM25Okapi([tokenize(text) for text in texts]).get_scores(tokenize(claim))
    return np.argsort(-scores, kind="stable")[:BM25_TOP_K].tolist()


def bm25s(texts: list[str], claim: str, settings: RetrievalSettings) -> Sequence[int]:
    """Rank with its own tokenizer, without stop words, and its default score."""
    import bm25s

    model = bm25s.BM25()
    model.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    asked = bm25s.tokenize([claim], stopwords=None, show_progress=False)
    best = model.retrieve(asked, k=min(BM25_TOP_K, len(texts)), show_progress=False)
    return best.documents[0].tolist()


ENGINES: dict[str, Engine] = {"rank-bm25": rank_bm25, "bm25s": bm25s}


def row(name: str, size: float, timing: Timing, ours: Timing) -> str:
    """Format a line of the table."""
    shared = len({*timing.best} & {*ours.best}) / max(len(ours.best), 1)
    same = "same order" if timing.best == ours.best else f"{shared:.1%}"
    times = f"{timing.seconds:.2f} | {timing.cpu:.2f} | {timing.seconds / ours.seconds:.1f}"
    return f"| {name} | {size:.0f} | {times} | {timing.memory:,.0f} MB | {same} |"


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+", metavar="STORE.json", help="stores of growing size")
    parser.add_argument("--others-up-to", type=float, default=80, metavar="MB", help="largest store of the others (80)")
    args = parser.parse_args()
    settings = RetrievalSettings()
    others = [engine for engine in ENGINES if find_spec(engine.replace("-", "_"))]

    machine = f"{os.cpu_count()} CPUs ({platform.machine()}), load {os.getloadavg()[0]:.1f}"
    print(f"{date.today()}, {machine}")
    print("\n| engine | MB | seconds | CPU seconds | times ours | peak memory | in our top 3,000 |")
    print("|---|---:|---:|---:|---:|---|---|", flush=True)
    for store in args.stores:
        size = store.stat().st_size / 1e6
        ours = median("ours", store, settings)
        print(row("ours", size, ours, ours), flush=True)
        for engine in others if size <= args.others_up_to else ():
            print(row(engine, size, median(engine, store, settings), ours), flush=True)


if __name__ == "__main__":
    main()
