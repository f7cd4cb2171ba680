"""Time the first stage of retrieval beside rank-bm25, bm25s and tantivy: the same stores, the same claim, one run.

Each engine ranks each store three times, each time in a process of its own, one after the other; the middle time
counts. The others get the passages that plain Python cuts and frees of copies; rank-bm25 counts the same words as ours,
bm25s and tantivy have tokenizers of their own.
Engines that are not installed (scripts/setup.sh bench) are passed over.

Usage: python -m scripts.benchmarks.retrieval STORE.json… [--others-up-to MB] [--plot FILE.svg]
"""

import argparse
import os
import platform
import re
import resource
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import orjson

from knowledge_store.bm25.passages import Candidates, batches
from knowledge_store.pages.page import Flaws, Page, Passage, normalized
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import rank, warm_up
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import tokenize
from submission.report.charts import HEIGHT, LEFT, STAGE_COLORS, WIDTH, Frame, element, figure, text, ticks

REPEATS = 3

Key = tuple[int, int]
Order = Sequence[int]


@dataclass(frozen=True)
class Timing:
    """Work of one engine with one store.

    Attributes:
        stages: wall time of each stage, in seconds; for ours, of the stages one after the other.
        seconds: wall time of all; for ours, with reading and counting side by side, as in a run.
        cpu: processor time of all, in seconds, over all threads.
        memory: peak memory of the process, in MB.
        idle: of that, what the process had before it read the store.
        best: keys of the passages kept, best first.
    """

    stages: dict[str, float]
    seconds: float
    cpu: float
    memory: float
    idle: float
    best: tuple[Key, ...]


def measure(engine: str, store: Path, settings: RetrievalSettings) -> Timing:
    """Rank a store for the claim that it was made for."""
    with store.open("rb") as lines:
        claim = orjson.loads(next(lines))["query"]
    if engine == "ours":
        warm_up(settings)
    idle = peak_memory()
    began, busy = perf_counter(), process_time()
    if engine == "ours":
        stages: dict[str, float] = {}
        best = [passage.key for passage in rank(store, claim, settings).passages]
    else:
        stages, best = measure_other(ENGINES[engine], store, claim, settings)
    seconds, cpu, memory = perf_counter() - began, process_time() - busy, peak_memory()
    return Timing(stages or our_stages(store, claim, settings), seconds, cpu, memory, idle, tuple(best))


def middle(engine: str, store: Path, settings: RetrievalSettings) -> Timing:
    """The run of the middle time, of ``REPEATS`` in fresh processes."""
    runs = []
    for _ in range(REPEATS):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            runs.append(process.submit(measure, engine, store, settings).result())
    return sorted(runs, key=lambda timing: timing.seconds)[REPEATS // 2]


def our_stages(store: Path, claim: str, settings: RetrievalSettings) -> dict[str, float]:
    """The stages of ``rank``, one after the other: they cannot be told apart where they overlap."""
    clock = Clock()
    pages = list(read_pages(store, Flaws()))
    clock.lap("read")
    cut = list(batches(pages, settings))
    clock.lap("cut")
    candidates = Candidates(claim, settings)
    for batch in cut:
        candidates.add(batch)
    clock.lap("count")
    candidates.best(settings.bm25_top_k)
    clock.lap("rank")
    return clock.laps


def measure_other(
    rank: Callable[[list[str], str, RetrievalSettings, "Clock"], Order],
    store: Path,
    claim: str,
    settings: RetrievalSettings,
) -> tuple[dict[str, float], list[Key]]:
    """Let another engine rank the passages."""
    clock = Clock()
    pages = list(read_pages(store, Flaws()))
    clock.lap("read")
    passages = list(distinct_passages(pages, settings))
    clock.lap("cut")
    order = rank([passage.text for passage in passages], claim, settings, clock)
    return clock.laps, [passages[position].key for position in order]


def distinct_passages(pages: Sequence[Page], settings: RetrievalSettings) -> Iterator[Passage]:
    """Cut pages in plain Python, without copies of pages and passages."""
    texts, cuts = set(), set()
    for page in pages:
        whole = normalized(page.text)
        if whole not in texts:
            texts.add(whole)
            last = max(len(page.text) - settings.chunk_overlap, 1)
            for start in range(0, last, settings.chunk_size - settings.chunk_overlap):
                window = page.text[start : start + settings.chunk_size]
                if (known := normalized(window)) and known not in cuts:
                    cuts.add(known)
                    yield Passage(window, page.url, page.number, start)


def rank_bm25(texts: list[str], claim: str, settings: RetrievalSettings, clock: "Clock") -> Order:
    """The reference."""
    from rank_bm25 import BM25Okapi

    split = tokenize if settings.tokenization == "words" else str.split
    words = [split(passage) for passage in texts]
    clock.lap("split")
    model = BM25Okapi(words)
    clock.lap("index")
    order = np.argsort(-model.get_scores(split(claim)), kind="stable")[: settings.bm25_top_k].tolist()
    clock.lap("rank")
    return order


def bm25s(texts: list[str], claim: str, settings: RetrievalSettings, clock: "Clock") -> Order:
    """Its own tokenizer, without stop words, and its default score."""
    import bm25s

    words = bm25s.tokenize(texts, stopwords=None, show_progress=False)
    clock.lap("split")
    model = bm25s.BM25()
    model.index(words, show_progress=False)
    clock.lap("index")
    asked = bm25s.tokenize([claim], stopwords=None, show_progress=False)
    order = model.retrieve(asked, k=min(settings.bm25_top_k, len(texts)), show_progress=False).documents[0].tolist()
    clock.lap("rank")
    return order


def tantivy(texts: list[str], claim: str, settings: RetrievalSettings, clock: "Clock") -> Order:
    """Its default tokenizer, an index in memory, any word of the claim."""
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("text").add_integer_field("place", stored=True).build()
    index = tantivy.Index(schema)
    writer = index.writer(num_threads=os.cpu_count() or 1)
    for place, passage in enumerate(texts):
        writer.add_document(tantivy.Document(text=passage, place=place))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    clock.lap("index")
    searcher = index.searcher()
    hits = searcher.search(index.parse_query(re.sub(r"\W+", " ", claim), ["text"]), settings.bm25_top_k).hits
    order = [searcher.doc(address)["place"][0] for _, address in hits]
    clock.lap("rank")
    return order


ENGINES = {"rank-bm25": rank_bm25, "bm25s": bm25s, "tantivy": tantivy}


class Clock:
    """Wall time by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        """End a stage."""
        now = perf_counter()
        self.laps[stage], self._last = now - self._last, now


def peak_memory() -> float:
    """Of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(name: str, size: float, timing: Timing, ours: Timing) -> str:
    """A line of the table."""
    stages = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in timing.stages.items())
    shared = len({*timing.best} & {*ours.best}) / max(len(ours.best), 1)
    same = "same order" if timing.best == ours.best else f"{shared:.1%}"
    memory = f"{timing.memory:,.0f} MB, {timing.memory - timing.idle:,.0f} for the store"
    times = f"{timing.seconds:.2f} | {timing.cpu:.2f} | {timing.seconds / ours.seconds:.1f}"
    return f"| {name} | {size:.0f} | {times} | {stages} | {memory} | {same} |"


def draw(found: dict[str, dict[float, Timing]]) -> str:
    """Seconds over the size of the store."""
    sizes = [size for timings in found.values() for size in timings]
    slowest = max(timing.seconds for timings in found.values() for timing in timings.values())
    frame = Frame(ticks(max(sizes)), ticks(slowest))
    parts = frame.grid("size of the store, MB", "seconds to read, cut and rank")
    for place, ((name, timings), color) in enumerate(zip(found.items(), STAGE_COLORS[::2], strict=False)):
        points = [(frame.x(size), frame.y(timing.seconds)) for size, timing in sorted(timings.items())]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(element("polyline", points=line, fill="none", stroke=color, stroke_width=2))
        parts += [element("circle", cx=x, cy=y, r=3, fill=color) for x, y in points]
        parts.append(text(LEFT + 210 + 90 * place, 16, name, fill=color))
    return figure(WIDTH, HEIGHT, "Seconds to read, cut and rank a store, by its size", parts)


@cache
def installed(engine: str) -> bool:
    """Whether an engine can be run; says so where it cannot."""
    there = engine == "ours" or find_spec(engine.replace("-", "_")) is not None
    if not there:
        print(f"{engine} is not installed and is passed over")
    return there


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+", metavar="STORE.json", help="stores of growing size")
    parser.add_argument("--tokenization", choices=["words", "whitespace"], default="words", help="what BM25 counts")
    parser.add_argument("--others-up-to", type=float, default=80, metavar="MB", help="largest store of the others (80)")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw seconds over size")
    args = parser.parse_args()
    settings = RetrievalSettings(tokenization=args.tokenization)

    machine = f"{os.cpu_count()} CPUs ({platform.machine()}), load {os.getloadavg()[0]:.1f}"
    print(f"{date.today()}, {machine}; tokenization: {args.tokenization}")
    print("\n| engine | MB | seconds | CPU seconds | times ours | stages | peak memory | in our top 3,000 |")
    print("|---|---:|---:|---:|---:|---|---|---|", flush=True)
    found: dict[str, dict[float, Timing]] = {}
    for store in args.stores:
        size = store.stat().st_size / 1e6
        for engine in filter(installed, ("ours", *(ENGINES if size <= args.others_up_to else ()))):
            timing = found.setdefault(engine, {})[size] = middle(engine, store, settings)
            print(row(engine, size, timing, found["ours"][size]), flush=True)
    if args.plot:
        args.plot.write_text(draw(found), encoding="utf-8")


if __name__ == "__main__":
    main()
