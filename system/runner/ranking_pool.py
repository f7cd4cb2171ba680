"""Reading and ranking of the next claims' stores in worker processes, while the model works."""

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import date
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import perf_counter

from knowledge_store.pages.page import ReadingReport
from knowledge_store.ranking import RankedStore, rank, warm_up
from knowledge_store.settings import RetrievalSettings
from system.check import unread, unread_parts
from system.records import Claim, Failure


class RankingTooLong(Exception):
    """A store took longer than the whole budget of its claim. No ``TimeoutError``, for that is an error of reading."""


class RankingPool:
    """Worker processes that rank stores; a context manager.

    A store that takes longer than a claim's whole budget, on a disk that hangs for instance, is given up.
    A worker that dies (out of memory, say) takes the pool with it; the pool is rebuilt and the claim ranked again,
    once.
    """

    def __init__(self, store: Path, settings: RetrievalSettings, workers: int, budget: float) -> None:
        self._store = store
        self._budget = budget
        self._settings = settings
        self._workers = workers
        self._pool = self._start()

    def __enter__(self) -> "RankingPool":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        # After a fault or Ctrl-C nobody waits for stores that will not be used.
        self._pool.shutdown(wait=error is None, cancel_futures=True)

    async def rank(self, claim: Claim) -> tuple[RankedStore, list[Failure]]:
        """Rank the claim's store; a store that cannot be read or ranked is an empty one and a named failure."""
        file = store_file(self._store, claim)
        began = perf_counter()
        try:
            ranked = await self._rank_or_renew(claim)
        except Exception as error:  # noqa: BLE001 - whatever a store does to its worker, the run continues
            report = ReadingReport(file.name, 0, 0, {})
            ranked = RankedStore(passages=(), scores=(), report=report, seconds=perf_counter() - began)
            return ranked, [unread(f"{file}: {type(error).__name__}: {error}")]
        return ranked, unread_parts(file, ranked)

    async def _rank_or_renew(self, claim: Claim) -> RankedStore:
        pool = self._pool
        try:
            return await self._submit(claim)
        except BrokenProcessPool:
            if self._pool is pool:  # otherwise another claim has renewed it already
                self._pool = self._start()
            return await self._submit(claim)

    async def _submit(self, claim: Claim) -> RankedStore:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._pool, _rank, self._budget, store_file(self._store, claim), claim.text, self._settings, claim.day
        )

    def _start(self) -> ProcessPoolExecutor:
        # Not fork: the parent has threads (torch, asyncio), and a forked child inherits their locks.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(
            self._workers, mp_context=context, initializer=_prepare_worker, initargs=(self._settings,)
        )


def store_file(store: Path, claim: Claim) -> Path:
    """The file of a claim in a folder of stores; a store that is one file serves every claim."""
    return store / f"{claim.id}.json" if store.is_dir() else store


def _rank(budget: float, path: Path, claim: str, settings: RetrievalSettings, day: date | None) -> RankedStore:
    """Rank a store in this process, or recall its ranking, within ``budget`` seconds."""

    def stop(*_: object) -> None:
        raise RankingTooLong(f"reading and ranking took longer than {budget:g} s")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, budget)
    try:
        return rank(path, claim, settings, day)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _prepare_worker(settings: RetrievalSettings) -> None:
    """Leave Ctrl-C to the parent, do not outlive it when it is killed, and load what ranking needs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()
    warm_up(settings)


def _exit_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
