"""The first stage of retrieval: from a claim's pages to the passages that BM25 keeps for the claim (section 3.2.2).

It runs in worker processes, so nothing here imports torch or sentence-transformers, and what it returns can be
pickled.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from math import inf
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic, perf_counter

import orjson
from pydantic import TypeAdapter

from knowledge_store.bm25.passages import Candidates, batches
from knowledge_store.pages import reading
from knowledge_store.pages.filters import admitted
from knowledge_store.pages.page import FOUND, Flaw, Flaws, Page, Passage, ReadingReport
from knowledge_store.pages.store import read_pages
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive, is_archive
from knowledge_store.searchers.searched import on_the_web, searched
from knowledge_store.settings import RetrievalSettings

log = logging.getLogger(__name__)

ARCHIVE_PAGES = 100  # ranked for a claim whose store is an archive; each question adds ``search_results``
CACHE_VERSION = 2  # of the first stage: raised when it ranks otherwise, so that what is cached is ranked again


@dataclass(frozen=True)
class OpenBook:
    """The archive where each question about a claim is searched for too (the open-book setting of CARP, section 4).

    Attributes:
        first: number of the archive's first row among the pages of the claim.
    """

    archive: Path
    claim: str
    day: date | None
    first: int = 0


@dataclass(frozen=True)
class RankedStore:
    """The passages of a store that the first stage keeps.

    Attributes:
        passages: the best passages for the claim, best first; ties in the order of the store.
        scores: their BM25 scores.
        report: what reading found.
        seconds: wall time of reading, cutting and ranking.
        book: where else questions are searched for; None where nothing but these passages is known.
    """

    passages: tuple[Passage, ...]
    scores: tuple[float, ...]
    report: ReadingReport
    seconds: float
    book: OpenBook | None = None


_CACHED = TypeAdapter(RankedStore)


def rank(
    source: Path | Iterable[Page],
    claim: str,
    settings: RetrievalSettings,
    day: date | None = None,
    *,
    flaws: Flaws | None = None,
    name: str = "pages",
    seconds: float = inf,
) -> RankedStore:
    """Keep the ``settings.bm25_top_k`` passages that BM25 ranks highest for the claim.

    Args:
        source: a store in the official format, an archive, or any pages, each with a number of its own. Of an
            archive, the pages that its words find for the claim are ranked. A missing, empty or broken store yields
            few passages or none, and the report says so; where ``settings.search`` names a searcher, a store may be
            missing. What was ranked of a store alone is recalled where ``settings.ranking_cache`` names a folder; its
            ``seconds`` are then those of the first time.
        claim: the query.
        day: when the claim was made, where known; see ``filters.admitted``.
        flaws: of pages, what reading them finds wrong, complete once they are exhausted.
        name: of pages, the name of the collection in the report.
        seconds: from now, in which a search has to end.

    Raises:
        SearchError: the search failed, and there are no other pages.
    """
    until = monotonic() + seconds
    if not isinstance(source, Path):
        return _rank(source, claim, settings, day, Flaws() if flaws is None else flaws, name, until)
    if is_archive(source):
        return _rank_archive(source, claim, settings, day, until)
    if settings.search:
        return _rank_store(source, claim, settings, day, until)
    return recalled(source, claim, settings, day, lambda: _rank_store(source, claim, settings, day, until))


def recalled(
    path: Path, claim: str, settings: RetrievalSettings, day: date | None, rank_now: Callable[[], RankedStore]
) -> RankedStore:
    """A store as it was ranked for a claim before; ranked now, and kept, where the cache does not have it whole."""
    if not settings.ranking_cache or not path.is_file():
        return rank_now()
    cached = Path(settings.ranking_cache) / f"{_key(path, claim, settings, day)}.json"
    if known := _cached(cached):
        return known
    ranked = rank_now()
    try:
        _write(cached, orjson.dumps(ranked, option=orjson.OPT_NON_STR_KEYS))
    except OSError as error:
        log.warning("%s: the ranking is not kept (%s)", cached, error.strerror)
    return ranked


def _cached(path: Path) -> RankedStore | None:
    try:
        return _CACHED.validate_python(orjson.loads(path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        log.warning("%s: the kept ranking cannot be read (%s); ranked again", path, str(error).partition("\n")[0])
        return None


def warm_up(settings: RetrievalSettings) -> None:
    """Load the compiled code and the tables of characters, so that the first store need not wait for them.

    Takes half a second in a process, and six where no compiled code is cached yet.
    """
    if on_the_web(settings.search):
        reading.warm_up()
    rank([Page(0, "", ("warm up",))], "warm up", settings.model_copy(update={"search": ""}))


def _rank_store(path: Path, claim: str, settings: RetrievalSettings, day: date | None, until: float) -> RankedStore:
    flaws = Flaws()
    pages = () if settings.search and not path.exists() else read_pages(path, flaws)
    return _rank(pages, claim, settings, day, flaws, path.name, until)


def _rank_archive(path: Path, claim: str, settings: RetrievalSettings, day: date | None, until: float) -> RankedStore:
    flaws = Flaws()
    pages = Archive.open(path, until).search(claim, None if settings.later_pages else day, ARCHIVE_PAGES, flaws)
    return replace(_rank(pages, claim, settings, day, flaws, path.name, until), book=OpenBook(path, claim, day))


def _rank(
    pages: Iterable[Page],
    claim: str,
    settings: RetrievalSettings,
    day: date | None,
    flaws: Flaws,
    name: str,
    until: float,
) -> RankedStore:
    began = perf_counter()
    if settings.search:
        pages = _with_searched(pages, claim, settings, day, flaws, until)
    candidates = Candidates(claim, settings)
    thread = ThreadPoolExecutor(1)  # counts while the next pages are read: compiled code needs no lock
    try:
        for _ in thread.map(candidates.add, batches(admitted(pages, claim, day, settings, flaws), settings)):
            pass
    finally:
        thread.shutdown(wait=False, cancel_futures=True)  # at a deadline, nobody waits for what is left
    flaws.update({Flaw.MIRROR: candidates.mirrors, Flaw.REPEATED_PASSAGE: candidates.repetitions})
    passages, scores = candidates.best(settings.bm25_top_k)
    found = {flaw: flaws[flaw] for flaw in Flaw if flaws[flaw]}
    report = ReadingReport(name, candidates.pages, candidates.passages, found)
    book = None
    if settings.search and not on_the_web(settings.search):
        book = OpenBook(Path(settings.search), claim, day, FOUND)
    return RankedStore(passages, scores, report, perf_counter() - began, book)


def _with_searched(
    pages: Iterable[Page], claim: str, settings: RetrievalSettings, day: date | None, flaws: Flaws, until: float
) -> Iterator[Page]:
    """The pages, then those that a search finds, numbered from ``FOUND``."""
    alone = True
    for page in pages:
        alone = False
        yield page
    try:
        for page in searched(claim, day, settings, flaws, max(0.0, until - monotonic())):
            yield replace(page, number=FOUND + page.number)
    except SearchError as error:
        if alone:
            raise
        flaws[Flaw.SEARCH_FAILED] += 1
        log.warning("%s", error)


def _key(path: Path, claim: str, settings: RetrievalSettings, day: date | None) -> str:
    file = path.stat()
    named, asked = (text.encode(errors="replace").decode() for text in (str(path.resolve()), claim))
    state = [CACHE_VERSION, named, file.st_size, file.st_mtime_ns, asked, day]
    return blake2b(
        orjson.dumps([*state, settings.model_dump(mode="json", exclude={"ranking_cache"})]), digest_size=16
    ).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: several processes may share the folder.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(data)
            file.flush()
            Path(file.name).replace(path)
        finally:
            Path(file.name).unlink(missing_ok=True)
