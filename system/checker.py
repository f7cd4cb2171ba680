"""One way from a claim to its answer, for every door: a ``Checker`` checks claims against a ``Collection``.

The command line, the library, the service, the MCP server and a Ray worker are loops around it. It alone decides which
settings and calibration apply (``Engine.for_documents``), how time is shared, what becomes of faults, and that a
refuted claim is corrected. docs/way.md shows that way in twelve lines.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

from knowledge_store.pages.documents import DocumentsError
from system.check import Engine, check
from system.collection import Collection, Ranked, nothing, unread
from system.correction.correcting import with_correction
from system.deadline import Allowance
from system.graph.graph import Graph, Listener, unheard
from system.graph.records import Claim, ClaimResult, Correction, QuestionAnswer, Verdict
from system.settings import CLAIM_LIMIT

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Checked:
    """A claim that was checked."""

    result: ClaimResult  #: all that is known of the check: verdict, evidence, time, failures
    graph: Graph  #: every thought, from the claim to the verdict

    @property
    def claim(self) -> Claim:
        """The claim."""
        return self.result.claim

    @property
    def verdict(self) -> Verdict:
        """Label, justification and confidence."""
        return self.result.verdict

    @property
    def evidence(self) -> tuple[QuestionAnswer, ...]:
        """Questions with their answers and passages, those that carry the verdict first."""
        return self.result.pairs

    @property
    def correction(self) -> Correction | None:
        """The refuted claim as one sentence of the evidence corrects it; None if no correction is sure."""
        return self.result.correction

    def to_dict(self, *, graph: bool = False) -> dict[str, Any]:
        """Claim, verdict and evidence as plain values, for JSON; the same at every door.

        Args:
            graph: whether every thought is added.
        """
        return self.result.to_dict() | ({"graph": self.graph.to_json()} if graph else {})


class Checker:
    """Checks claims with one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def for_statements(self) -> "Checker":
        """The checker for statements of texts; whatever the source, they are checked as claims on documents are."""
        return Checker(self.engine.for_documents(own=False))

    async def check(
        self, claim: Claim, collection: Collection, *, listener: Listener = unheard, budget: float | None = None
    ) -> Checked:
        """Check a claim by itself, within a budget of its own.

        Args:
            listener: called for each thought as it is added to the graph.
            budget: seconds, in place of that of the settings.

        Raises:
            DocumentsError: there is no text to search.
        """
        engine = self._engine_for(collection).within(budget)
        try:
            ranked = await _ranked(collection.ranked(claim), claim, engine.settings.run.budget)
        finally:
            collection.close()
        result, graph = await check(engine, claim, ranked.store, ranked.failures, listener=listener)
        return await _corrected(engine, result, graph, ranked.warnings)

    async def check_many(
        self, claims: Sequence[Claim], collection: Collection, *, in_order: bool = False
    ) -> AsyncGenerator[Checked, None]:
        """Check claims, several at a time; yield each as it is done. They share their time (see ``Allowance``).

        Args:
            in_order: yield each only after those before it.

        Raises:
            DocumentsError: there is no text to search.
        """
        batch = self.batch(collection)
        try:
            await collection.open(claims)
            async with aclosing(each(batch.check, claims, batch.places, in_order=in_order)) as checks:
                async for checked in checks:
                    yield checked
        finally:
            collection.close()

    def batch(self, collection: Collection) -> "Batch":
        """See ``Batch``."""
        return Batch(self._engine_for(collection), collection)

    def _engine_for(self, collection: Collection) -> Engine:
        """The user's own documents have settings of their own."""
        return self.engine.for_documents() if collection.own else self.engine


class Batch:
    """Claims of an open collection that share their time.

    A claim's passages are ranked while the model works on other claims, and no claim's deadline contains that time.

    Attributes:
        places: claims that it holds at a time, those included whose passages are ranked ahead.
    """

    def __init__(self, engine: Engine, collection: Collection) -> None:
        run = engine.settings.run
        self.places = run.places
        self._engine, self._collection = engine, collection
        self._working = asyncio.Semaphore(run.max_concurrent_claims)
        self._allowance: Allowance | None = None  # from the first claim on

    async def check(self, claim: Claim) -> Checked:
        """Check a claim; any fault becomes a result."""
        run = self._engine.settings.run
        allowance = self._allowance = self._allowance or Allowance(
            run.budget, run.max_concurrent_claims, asyncio.get_running_loop().time, CLAIM_LIMIT
        )
        ranked = await _ranked(self._collection.rank(claim), claim)
        async with self._working:
            allowance.begin()
            result, graph = await check(self._engine, claim, ranked.store, ranked.failures, allowance=allowance)
        return await _corrected(self._engine, result, graph, ranked.warnings)


async def each(
    work: Callable[[Claim], Awaitable[T]], claims: Iterable[Claim], places: int, *, in_order: bool = False
) -> AsyncGenerator[T, None]:
    """Work on claims, so many at a time; yield each result as it is done. Closing the iterator cancels the rest.

    Args:
        in_order: yield each only after those before it.

    Raises:
        Exception: the first that ``work`` raises; it cancels the others.
    """
    free = asyncio.Semaphore(places)  # bounds the ranked passages in memory
    done: asyncio.Queue[int] = asyncio.Queue()

    async def worked(turn: int, claim: Claim) -> T:
        try:
            async with free:
                return await work(claim)
        finally:
            done.put_nowait(turn)

    tasks = {turn: asyncio.create_task(worked(turn, claim)) for turn, claim in enumerate(claims)}
    try:
        for turn in [*tasks]:
            ended = turn if in_order else await done.get()
            yield await tasks[ended]
            del tasks[ended]  # and the graph with it
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)


async def _ranked(ranking: Awaitable[Ranked], claim: Claim, seconds: float | None = None) -> Ranked:
    """The passages for a claim; whatever a text does to its reader, the claim has an answer."""
    began = perf_counter()
    try:
        async with asyncio.timeout(seconds):
            return await ranking
    except DocumentsError:
        raise
    except TimeoutError:
        failure = unread("reading used up the budget")
    except Exception as error:
        log.exception("reading for %r", claim.text)
        failure = unread(type(error).__name__, str(error))
    return nothing("nothing", failure, perf_counter() - began)


async def _corrected(engine: Engine, result: ClaimResult, graph: Graph, warnings: tuple[str, ...]) -> Checked:
    corrected = await asyncio.to_thread(with_correction, result, engine.reader)
    return Checked(corrected.model_copy(update={"warnings": warnings}), graph)
