"""The first stage of retrieval: from a claim's store to the passages that BM25 keeps for the claim (section 3.2.2).

It runs in worker processes, so nothing here imports torch, sentence-transformers or faiss, and what it returns can be
pickled.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import perf_counter

from knowledge_store.bm25 import Bm25
from knowledge_store.chunking import chunk
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
    distinct = list(_without_mirrors(pages, flaws))
    passages = list(_without_repetitions(distinct, settings, flaws))
    ranking = Bm25([passage.text for passage in passages]).rank(claim, settings.prefilter)
    return RankedStore(
        passages=tuple(passages[position] for position in ranking.positions),
        scores=tuple(ranking.scores.tolist()),
        report=ReadingReport(name, len(distinct), len(passages), {flaw: flaws[flaw] for flaw in Flaw if flaws[flaw]}),
        seconds=perf_counter() - began,
    )


def _without_mirrors(pages: Iterable[Page], flaws: Flaws) -> Iterator[Page]:
    """Yield each text once, under the first of its addresses."""
    seen: set[str] = set()
    for page in pages:
        text = normalized(page.text)
        if text in seen:
            flaws[Flaw.MIRROR] += 1
        else:
            seen.add(text)
            yield page


def _without_repetitions(pages: Iterable[Page], settings: RetrievalSettings, flaws: Flaws) -> Iterator[Passage]:
    """Cut the pages and yield each passage once, where it first occurs."""
    seen: set[str] = set()
    for page in pages:
        for passage in chunk(page, settings.chunk_size, settings.chunk_overlap):
            text = normalized(passage.text)
            if text in seen:
                flaws[Flaw.REPEATED_PASSAGE] += 1
            else:
                seen.add(text)
                yield passage


def normalized(text: str) -> str:
    """The text without what copies of a page differ in: case and the kind of white space."""
    return " ".join(text.casefold().split())
