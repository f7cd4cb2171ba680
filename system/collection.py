"""What claims are checked against: documents, a knowledge store, an archive or the web, each as a ``Collection``.

A collection is opened for the claims that it will be asked about, so that it reads and counts every page once, and
then ranks its passages for each of them. It owns isolation (untrusted bytes are parsed and ranked in worker processes),
the time that reading may take, and what is kept between claims. A page or a store that cannot be read is a named
failure of the claims that needed it; only a collection without any text raises an error.

    collection = PageCollection(pages, settings)
    await collection.open(claims)
    ranked = await collection.rank(claims[0])
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, TypeVar

from knowledge_store.isolation import LATE, LIMITS, Limits, TookTooLong, WorkerDied, Workers, WorkFailed
from knowledge_store.pages.documents import DocumentsError
from knowledge_store.pages.page import UNREAD, Flaws, Page, ReadingReport, describe, shown_path
from knowledge_store.progress import progress_bar
from knowledge_store.ranking import Library, RankedStore, is_shared, rank
from knowledge_store.searchers import SearchError
from system.documents import Documents, listed, named, pages_of
from system.graph.records import Claim, Failure
from system.settings import Settings
from system.threads import in_own_thread

if TYPE_CHECKING:
    from knowledge_store.dense.encoder import Encoder

log = logging.getLogger(__name__)

READ = "read"  # the operation of failures to read what a claim is checked against
MEMORY = 2**31  # bytes that ranking any store may take
PER_BYTE = 4  # further bytes for each byte of the store; ordinary stores take two
WARM_UP = "knowledge_store.ranking:warm_up"
OUTPUT = 2**28  # bytes of a ranking; 3,000 passages of 1,000 characters have three million

T = TypeVar("T")
Read = Callable[[Flaws, Limits], Iterable[Page]]
"""Reads pages within limits, and counts what is wrong with them."""


@dataclass(frozen=True)
class Ranked:
    """The passages of a collection for one claim, and what of it could not be read."""

    store: RankedStore
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()  #: of the user's own documents; of several claims, the one ranked first has them


class Collection(ABC):
    """What claims are checked against."""

    own: bool = False  #: whether it is made of the user's own documents

    @abstractmethod
    async def open(self, claims: Sequence[Claim]) -> None:
        """Prepare to rank these claims; read what they share.

        Raises:
            DocumentsError: there is no text to search.
        """

    @abstractmethod
    async def rank(self, claim: Claim) -> Ranked:
        """Rank the passages for one of the claims that the collection was opened for."""

    async def ranked(self, claim: Claim) -> Ranked:
        """Open the collection for one claim, and rank its passages; raise what ``open`` raises."""
        await self.open([claim])
        return await self.rank(claim)

    @abstractmethod
    def close(self) -> None:
        """Stop reading, and free what was opened; the collection can be opened again."""


def nothing(name: str, failure: Failure, seconds: float = 0.0) -> Ranked:
    """No passages, because of a failure that leaves the claim unanswered."""
    return Ranked(RankedStore((), ReadingReport(name, 0, 0, {}), seconds), (failure,))


def unread(reason: str, particulars: str = "", where: Path | None = None) -> Failure:
    """The failure of a claim whose evidence could not be read.

    Args:
        reason: fit for everybody to read.
        particulars: of the reason, only for the operator.
        where: the path that was read, only for the operator.
    """
    message = ": ".join(filter(None, [str(where or ""), reason, particulars]))
    cause = reason if message != reason else ""
    return Failure(operation=READ, message=shown_path(message), cause=cause, unanswered=True)


class _Heard(logging.Handler):
    """Keeps what is warned of while the user's own documents are read; the log has it all the same."""

    warnings: ContextVar[list[str] | None] = ContextVar("warnings", default=None)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning."""
        if (heard := self.warnings.get()) is not None:
            heard.append(record.getMessage())
        if logging.lastResort and not logging.root.handlers:  # it prints only what has no handler
            logging.lastResort.handle(record)


logging.getLogger("knowledge_store").addHandler(_Heard(logging.WARNING))


def hearing(warnings: list[str] | None, read: Callable[[], T]) -> T:
    """Read, in a thread that does nothing else, and add what is warned of to a list, if one is given."""
    _Heard.warnings.set(warnings)
    return read()


class PageCollection(Collection):
    """Pages that are read once for all claims; what the settings search for is added.

    Args:
        read: reads the pages.
        name: of the pages, in messages.
        own: see ``Collection``.
        seconds: that reading may take; by default the reading time of every claim together.
        progress: show on standard error how many pages are read.
    """

    def __init__(
        self,
        read: Read,
        settings: Settings,
        *,
        name: str = "documents",
        own: bool = True,
        seconds: float | None = None,
        progress: bool = False,
    ) -> None:
        self.own = own
        self._read, self._name, self._seconds = read, name, seconds
        self._kept: Callable[[Page], bool] = lambda _: True
        self._settings, self._reading = settings.retrieval, settings.run.reading
        self._progress = progress
        self._libraries: dict[date | None, Library] = {}
        self._failures: tuple[Failure, ...] = ()
        self._warnings: list[str] = []
        self._spent = 0.0  # seconds of reading, which count for the claim that is ranked first
        self._closed = False

    def only(self, kept: Callable[[Page], bool]) -> "PageCollection":
        """Leave out the other pages."""
        self._kept = kept
        return self

    async def open(self, claims: Sequence[Claim]) -> None:
        """See ``Collection.open``."""
        if claims:
            self._closed = False
            await in_own_thread(partial(hearing, self._warnings if self.own else None, partial(self._open, claims)))

    def _open(self, claims: Sequence[Claim]) -> None:
        began = perf_counter()
        seconds = self._reading * len(claims) if self._seconds is None else self._seconds
        limits = replace(LIMITS, until=monotonic() + seconds)
        flaws = Flaws()
        days = {self._day(claim) for claim in claims}
        opened = self._until_closed(self._read(flaws, limits))
        pages = list(opened) if len(days) > 1 else opened
        self._libraries = {
            day: Library(
                pages,
                list(dict.fromkeys(claim.query for claim in claims if self._day(claim) == day)),
                self._settings,
                day,
                flaws=flaws.copy() if len(days) > 1 else flaws,
                name=self._name,
                progress=self._progress,
                seconds=self._reading,
            )
            for day in days
        }
        empty = not any(library.report.pages for library in self._libraries.values())
        late = any(LATE in warning for warning in self._warnings) or self._closed
        if empty and not (self._settings.search or late):
            why = f"expected text to search, got none{describe(flaws)}; give documents with text"
            raise DocumentsError("; ".join(self._warnings) or f"{self._name or 'documents'}: {why}")
        self._failures = (unread(LATE),) if empty and late else ()
        self._spent = perf_counter() - began

    async def rank(self, claim: Claim) -> Ranked:
        """See ``Collection.rank``."""
        (spent, self._spent), (heard, self._warnings) = (self._spent, 0.0), (self._warnings, [])
        search = partial(self._libraries[self._day(claim)].rank, claim.query)
        try:
            store = await asyncio.to_thread(hearing, heard if self.own else None, search)
        except SearchError as error:
            return replace(nothing("search", unread(str(error)), spent), warnings=tuple(heard))
        return Ranked(replace(store, seconds=spent + store.seconds), self._failures, tuple(heard))

    def close(self) -> None:
        """See ``Collection.close``."""
        self._closed = True

    def _day(self, claim: Claim) -> date | None:
        """The day that decides which pages the claim may use; none if pages may be later than the claim."""
        return None if self._settings.later_pages else claim.day

    def _until_closed(self, pages: Iterable[Page]) -> Iterator[Page]:
        for page in pages:
            if self._closed:
                return
            if self._kept(page):
                yield page


def document_collection(
    documents: Documents, settings: Settings, *, own: bool = True, fetch: bool = False, progress: bool = False
) -> PageCollection:
    """Documents, texts and stores as one collection; may be empty if the settings say where else to search.

    Args:
        own, progress: see ``PageCollection``.
        fetch: whether documents that are web addresses are fetched.

    Raises:
        DocumentsError: something else was given.
    """
    given = listed(documents)
    name = named(documents, given) or settings.retrieval.search
    read = partial(pages_of, given, fetch=fetch)
    return PageCollection(read, settings, name=name, own=own, progress=progress)


class Rankers:
    """Worker processes that rank stores, each started when it is needed first; collections may share them.

    A store that takes longer than a claim's whole budget, on a disk that hangs for instance, is given up. A worker that
    dies is replaced, and the claim is ranked again, once.
    """

    def __init__(self, settings: Settings, count: int) -> None:
        self._settings = settings.retrieval
        self._workers = Workers(count)
        self._threads = ThreadPoolExecutor(count)  # that wait for the workers

    async def rank(self, work: Callable[..., RankedStore], file: Path, claim: Claim, budget: float) -> RankedStore:
        """Call ``work(file, claim, settings, day)`` in a worker, for at most so many seconds."""

        def call() -> RankedStore:  # in a thread, because the disk may hang
            size = 0
            with suppress(OSError):  # the worker says what is wrong with it, if it still needs the file
                size = file.stat().st_size
            limits = Limits(budget, patience=1.0, memory=MEMORY + PER_BYTE * size, output=OUTPUT)
            arguments = file, claim.query, self._settings, claim.day
            try:
                return self._workers.call(limits, work, *arguments, load=(WARM_UP,))
            except WorkerDied:
                return self._workers.call(limits, work, *arguments, load=(WARM_UP,))

        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def close(self) -> None:
        """End the workers; stores that are being ranked count as unread."""
        self._workers.close()
        self._threads.shutdown(wait=False, cancel_futures=True)


class StoreCollection(Collection):
    """A knowledge store or an archive: a folder with ``<claim id>.json``, or one file for all claims.

    One file for several claims is read once, by one worker process.

    Args:
        rankers: processes that rank; the collection has its own, and ends them, unless they are given.
    """

    def __init__(self, store: Path, settings: Settings, rankers: Rankers | None = None, *, own: bool = False) -> None:
        self.own = own
        self._store, self._settings = store, settings
        self._given = rankers
        self._rankers: Rankers | None = None
        self._shared: Rankers | None = None
        self._texts: tuple[str, ...] = ()

    async def open(self, claims: Sequence[Claim]) -> None:
        """See ``Collection.open``; a store that cannot be read is a failure of its claim."""
        self._rankers = self._given or Rankers(self._settings, self._settings.run.workers)
        self._turn, self._late = asyncio.Lock(), list[TookTooLong]()
        if len(claims) > 1 and is_shared(self._store, self._settings.retrieval, {claim.day for claim in claims}):
            self._shared = Rankers(self._settings, 1)
            self._texts = tuple(dict.fromkeys(claim.query for claim in claims))

    async def rank(self, claim: Claim) -> Ranked:
        """See ``Collection.rank``."""
        file = store_file(self._store, claim)
        began = perf_counter()
        try:
            store = await self._rank(file, claim)
        except WorkFailed as error:
            return nothing(file.name, unread(str(error), where=file), perf_counter() - began)
        except Exception as error:  # noqa: BLE001 - whatever a store does to its reader, the run continues
            failure = unread(type(error).__name__, str(error), file)
            return nothing(file.name, failure, perf_counter() - began)
        flaws = store.report.flaws
        why = describe({flaw: count for flaw, count in flaws.items() if flaw not in UNREAD})
        return Ranked(store, tuple(unread(f"{flaw}{why}", where=file) for flaw in UNREAD if flaw in flaws))

    async def embed(self, claims: Sequence[Claim], encoder: "Encoder") -> None:
        """Write the vectors of the passages that are ranked for each claim, beside its store."""
        from knowledge_store.dense.prepared import prepare  # with the encoder, which takes a second to import

        await self.open(claims)
        with closing(self):
            for claim in progress_bar(claims, desc="embedding", unit="claim"):
                ranked = await self.rank(claim)
                for failure in ranked.failures:
                    log.warning("claim %d: %s", claim.id, failure.message)
                if passages := ranked.store.passages:
                    prepare(store_file(self._store, claim), passages, encoder, self._settings.retrieval.encoder)

    async def _rank(self, file: Path, claim: Claim) -> RankedStore:
        run = self._settings.run
        if not self._shared:
            assert self._rankers
            return await self._rankers.rank(partial(rank, seconds=run.reading), file, claim, run.budget)
        async with self._turn:  # if the file hangs, claims that wait for it fail at once
            if self._late:
                raise self._late[0]
            try:
                return await self._shared.rank(partial(rank, claims=self._texts), file, claim, run.budget)
            except TookTooLong as error:
                self._late.append(error)
                raise

    def close(self) -> None:
        """See ``Collection.close``."""
        for rankers in (self._shared, None if self._given else self._rankers):
            if rankers:
                rankers.close()
        self._shared = self._rankers = None


class EachItsOwn(Collection):
    """A collection for each claim, by the claim's id; claims may share one."""

    own = True

    def __init__(self, collections: Mapping[int, Collection]) -> None:
        self._collections = collections

    async def open(self, claims: Sequence[Claim]) -> None:
        """See ``Collection.open``."""
        for collection in dict.fromkeys(self._collections[claim.id] for claim in claims):
            await collection.open([claim for claim in claims if self._collections[claim.id] is collection])

    async def rank(self, claim: Claim) -> Ranked:
        """See ``Collection.rank``."""
        return await self._collections[claim.id].rank(claim)

    def close(self) -> None:
        """See ``Collection.close``."""
        for collection in dict.fromkeys(self._collections.values()):
            collection.close()


def store_file(store: Path, claim: Claim) -> Path:
    """The file of a claim in a folder of stores; a store that is one file serves every claim."""
    return store / f"{claim.id}.json" if store.is_dir() else store
