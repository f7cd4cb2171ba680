"""Reading and ranking of the next claims' stores in worker processes, while the model works."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from knowledge_store.isolation import Limits, TookTooLong, WorkerDied, Workers, WorkFailed
from knowledge_store.library import is_shared, rank_shared
from knowledge_store.pages.page import ReadingReport
from knowledge_store.ranking import RankedStore, rank, warm_up
from knowledge_store.searchers import SearchError
from knowledge_store.settings import RetrievalSettings
from system.check import unread, unread_parts
from system.graph.records import Claim, Failure
from system.runner.checking import Rank
from system.settings import READING

MEMORY = 2**31  # bytes that ranking any store may take
PER_BYTE = 4  # further bytes for each of the store: ordinary ones take two
OUTPUT = 2**28  # bytes of a ranking: 3,000 passages of 1,000 characters have three million


def ranking_limits(budget: float, file: Path) -> Limits:
    """Limits of ranking a store for a claim that may take so many seconds."""
    size = 0
    with suppress(OSError):  # the worker says what is wrong with it, if it still needs the file
        size = file.stat().st_size
    memory = MEMORY + PER_BYTE * size
    return Limits(budget, patience=1.0, memory=memory, output=OUTPUT, worn=None)  # a worker keeps what claims share


class RankingPool:
    """Worker processes that rank stores, each started when it is needed first; a context manager that ends them.

    A store that takes longer than a claim's whole budget, on a disk that hangs for instance, is given up. A worker that
    dies (out of memory, say) is replaced, and the claim ranked again, once.
    """

    def __init__(self, settings: RetrievalSettings, workers: int, budget: float) -> None:
        self._settings = settings
        self._budget = budget
        self._workers = Workers(workers, warm_up, settings)
        self._threads = ThreadPoolExecutor(workers)  # that wait for the workers

    def __enter__(self) -> "RankingPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers; stores that are being ranked count as unread."""
        self._workers.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def rank(self, store: Path, claim: Claim) -> tuple[RankedStore, list[Failure]]:
        """Rank a claim's store; one that cannot be read or ranked is an empty store and a named failure.

        Args:
            store: folder with one store per claim id, or one file for all.
        """
        file = store_file(store, claim)
        ranking = partial(rank, seconds=READING * self._budget)
        return await _or_unread(file, self._rank_or_renew(self._workers, ranking, file, claim))

    @contextmanager
    def for_claims(self, store: Path, claims: Sequence[Claim]) -> Iterator[Rank]:
        """``rank`` for some claims; a worker reads one file for all of them once, and ends with the context.

        Args:
            store: see ``rank``.
            claims: all that will be asked for.
        """
        if not is_shared(store, self._settings, {claim.day for claim in claims}):
            yield partial(self.rank, store)
            return
        workers = Workers(1, warm_up, self._settings)
        texts = tuple(dict.fromkeys(claim.text for claim in claims))
        turn, late = asyncio.Lock(), list[TookTooLong]()

        async def ranked(claim: Claim) -> RankedStore:
            async with turn:  # of those that wait for a file that hangs, each would else wait as long again
                if late:
                    raise late[0]
                try:
                    return await self._rank_or_renew(workers, rank_shared, store, claim, texts)
                except TookTooLong as error:
                    late.append(error)
                    raise

        try:
            yield lambda claim: _or_unread(store, ranked(claim))
        finally:
            workers.close()

    async def _rank_or_renew(self, *work: Any) -> RankedStore:
        try:
            return await self._submit(*work)
        except WorkerDied:
            return await self._submit(*work)

    async def _submit(
        self, workers: Workers, work: Callable[..., RankedStore], file: Path, claim: Claim, *more: Any
    ) -> RankedStore:
        arguments = file, claim.text, self._settings, claim.day, *more

        def call() -> RankedStore:  # in a thread, for the disk may hang
            return workers.call(ranking_limits(self._budget, file), work, *arguments)

        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


async def rank_of_search(rank: Callable[[Claim], RankedStore], claim: Claim) -> tuple[RankedStore, list[Failure]]:
    """The passages for a claim, ranked in a thread; where a search fails, the claim has none, and a failure."""
    try:
        return await asyncio.to_thread(rank, claim), []
    except SearchError as error:
        return RankedStore((), (), ReadingReport("search", 0, 0, {}), 0.0), [unread(str(error))]


async def _or_unread(file: Path, ranking: Awaitable[RankedStore]) -> tuple[RankedStore, list[Failure]]:
    began = perf_counter()
    try:
        ranked = await ranking
    except Exception as error:  # noqa: BLE001 - whatever a store does to its reader, the run continues
        report = ReadingReport(file.name, 0, 0, {})
        ranked = RankedStore(passages=(), scores=(), report=report, seconds=perf_counter() - began)
        reason = str(error) if isinstance(error, WorkFailed) else f"{type(error).__name__}: {error}"
        return ranked, [unread(f"{file}: {reason}")]
    return ranked, unread_parts(file, ranked)


def store_file(store: Path, claim: Claim) -> Path:
    """The file of a claim in a folder of stores; a store that is one file serves every claim."""
    return store / f"{claim.id}.json" if store.is_dir() else store
