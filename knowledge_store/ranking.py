"""The first stage of retrieval: from a claim's store to the passages that BM25 keeps for the claim (section 3.2.2).

It runs in worker processes, so nothing here imports torch, sentence-transformers or faiss, and what it returns can be
pickled.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import perf_counter

from knowledge_store.candidates import Candidates, batches
from knowledge_store.filters import admitted
from knowledge_store.passages import Passage
from knowledge_store.reading import Flaw, Flaws, Page, ReadingReport, read_pages
from knowledge_store.settings import RetrievalSettings


@dataclass(frozen=True)
class RankedStore:
    """What the first stage keeps of a store.

    Attributes:
        passages: the best passages for the claim, best first; ties in the order of the store.
        scores: their BM25 scores.
        report: what reading found.
        seconds: wall time of reading, cutting and ranking.
    """

    passages: tuple[Passage, ...]
    scores: tuple[float, ...]
    report: ReadingReport
    seconds: float


def rank_store(path: Path, claim: str, settings: RetrievalSettings, day: date | None = None) -> RankedStore:
    """Read a store and keep the ``settings.prefilter`` passages that BM25 ranks highest for the claim.

    A missing, empty or broken store yields few passages or none, and says so in the report.

    Args:
        day: when the claim was made, where known; see ``filters.admitted``.
    """
    flaws = Flaws()
    pages = admitted(read_pages(path, flaws), claim, day, settings, flaws)
    return rank_pages(pages, claim, settings, flaws, path.name)


def rank_pages(pages: Iterable[Page], claim: str, settings: RetrievalSettings, flaws: Flaws, name: str) -> RankedStore:
    """Rank the passages of any pages; see ``rank_store``.

    Args:
        pages: the pages, each with a number of its own.
        claim: the query.
        settings: sizes.
        flaws: what reading the pages finds wrong, complete once they are exhausted; duplicates are added.
        name: name of the collection in the report.
    """
    began = perf_counter()
    candidates = Candidates(claim, settings)
    with ThreadPoolExecutor(1) as thread:  # counts while the next pages are read: compiled code needs no lock
        for _ in thread.map(candidates.add, batches(pages, settings)):
            pass
    flaws.update({Flaw.MIRROR: candidates.mirrors, Flaw.REPEATED_PASSAGE: candidates.repetitions})
    passages, scores = candidates.best(settings.prefilter)
    found = {flaw: flaws[flaw] for flaw in Flaw if flaws[flaw]}
    return RankedStore(
        passages=passages,
        scores=scores,
        report=ReadingReport(name, candidates.pages, candidates.passages, found),
        seconds=perf_counter() - began,
    )


def warm_up(settings: RetrievalSettings) -> None:
    """Load the compiled code and the tables of characters, so that the first store need not wait for them.

    Takes half a second in a process, and six where no compiled code is kept yet.
    """
    rank_pages([Page(0, "", ("warm up",))], "warm up", settings, Flaws(), "")


def normalized(text: str) -> str:
    """The text without what copies of a page differ in: case and the kind of white space."""
    return " ".join(text.casefold().split())
