"""The worker: one engine on an event loop of its own thread, so that a model that computes blocks no client.

The service, its local socket and the MCP server are loops around it. What a check reports while it runs is told to a
function of the caller's, on the caller's event loop, all of it before the check returns. Cancelling a check stops it.

    checked = await worker.check(claim, partial(uploaded, documents), budget=60.0, hear=print)
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, TypeVar, Unpack

from knowledge_store.dense.search import PassageIndex
from knowledge_store.isolation import LATE, Limits
from knowledge_store.pages.documents import DocumentsError, page_of_text, pages_of_file
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from system.api import CitationOptions, FactChecker, TextOptions
from system.app.service.schema import TEXT, UploadedDocument
from system.article.reading import read_file, read_text
from system.article.records import Article, CheckedStatement, CheckedText
from system.check import Engine
from system.checker import Checked
from system.citations.checking import citing_of
from system.citations.records import CheckedCitation, CheckedCitations
from system.collection import Collection, PageCollection
from system.documents import Documents
from system.graph.records import Claim, ClaimResult, Content, Failure
from system.graph.thoughts import Thought
from system.models.loop_thread import in_own_thread
from system.settings import Settings

T = TypeVar("T")
R = TypeVar("R", CheckedStatement, CheckedCitation)
Hear = Callable[[Any], None]

log = logging.getLogger(__name__)


def stores_of(folder: Path | None) -> dict[str, Path]:
    """Return the files ``NAME.json`` of a folder by their names, as they are now; none without a folder.

    A name that a client sends is looked up here. No path is made of it, so it can lead nowhere else.
    """
    files = folder.glob("[!.]*.json") if folder else ()
    return {file.stem: file for file in sorted(files) if file.is_file()}


def public_thought(thought: Thought[Content]) -> Thought[Content]:
    """Return the thought; if it is a failure, without its particulars, which are logged."""
    content = thought.content
    return thought.model_copy(update={"content": public_failure(content)}) if isinstance(content, Failure) else thought


def public_result(result: ClaimResult) -> ClaimResult:
    """Return the result, its failures without their particulars, which are logged."""
    return result.model_copy(update={"failures": tuple(map(public_failure, result.failures))})


def public_failure(failure: Failure) -> Failure:
    """Return the failure with only its cause; if it has no cause, its message is for clients.

    A message can hold what only the operator should see: paths, addresses of model servers, keys in them.
    """
    log.warning("%s: %s", failure.operation, failure.message)
    if not failure.cause:
        return failure
    return failure.model_copy(update={"message": f"{failure.cause}; the service's log has the details"})


class Worker:
    """Runs an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._checker = FactChecker(engine=engine)

    async def check(
        self,
        claim: Claim,
        collect: Callable[[Settings], Documents | Collection],
        hear: Hear,
        *,
        budget: float | None = None,
    ) -> Checked:
        """Check a claim.

        Args:
            collect: makes what it is checked against, with the settings of the check.
            hear: called for each thought.
            budget: seconds; by default that of the settings.

        Raises:
            DocumentsError: there is no text to search.
        """
        engine = self.engine.within(budget)
        checking = self._checker.acheck(claim, collect(engine.settings), listener=_on_this_loop(hear), budget=budget)
        return await self._submit(checking)

    async def check_text(
        self,
        read: Callable[[], Article],
        collect: Callable[[Settings], Documents | PageCollection],
        hear: Hear,
        **options: Unpack[TextOptions],
    ) -> CheckedText:
        """Check the statements of a text.

        Args:
            read: reads the text, in a thread.
            hear: called for the text, then for each statement as it is done.
            options: those of ``FactChecker.check_text``.

        Raises:
            DocumentsError: the text cannot be read, or there is no text to search.
        """
        tell = _on_this_loop(hear)

        async def work() -> CheckedText:
            article = await in_own_thread(read)
            tell(article)
            documents = collect(self.engine.settings)
            return CheckedText.of(article, await _told(self._checker.acheck_text(article, documents, **options), tell))

        return await self._submit(work())

    async def check_citations(
        self, text: str, documents: Documents, hear: Hear, **options: Unpack[CitationOptions]
    ) -> CheckedCitations:
        """Check the citations of a text in Markdown.

        Args:
            hear: called for the text with its citations, then for each citation as it is done.
            options: those of ``FactChecker.check_citations``.

        Raises:
            DocumentsError: the text cites nothing, or the documents cannot be read.
        """
        tell = _on_this_loop(hear)

        async def work() -> CheckedCitations:
            citing = await in_own_thread(partial(citing_of, text))
            if not citing.citations:
                raise DocumentsError("text: expected links, footnotes or numbered references, got none in a statement")
            tell(citing)
            found = await _told(self._checker.acheck_citations(citing, documents, **options), tell)
            return CheckedCitations.of(citing.article, found, citing.unresolved)

        return await self._submit(work())

    async def search(
        self, query: str, collect: Callable[[Settings], Collection], limit: int
    ) -> list[dict[str, str | float]]:
        """Return the passages nearest to a query: address, text, and cosine to the query.

        Raises:
            DocumentsError, SearchError: there is nothing to search, or it cannot be read.
        """
        settings, collection = self.engine.settings, collect(self.engine.settings)

        async def work() -> list[dict[str, str | float]]:
            try:
                ranked = await collection.ranked(Claim(query))
            finally:
                collection.close()
            seconds = settings.run.reading
            index = PassageIndex(ranked.store, self.engine.encoder, settings.retrieval, lambda: seconds)
            hits = await asyncio.to_thread(index.nearest, query, limit)
            return [{"address": hit.passage.url, "text": hit.passage.text, "score": float(hit.score)} for hit in hits]

        return await self._submit(work())

    def store(self, file: Path, settings: Settings) -> Collection:
        """Return a knowledge store or an archive as a collection."""
        return self._checker.store(file, settings)

    async def close(self) -> None:
        """Free the model, and end the thread and the processes that rank stores."""
        await asyncio.to_thread(self._checker.close)

    async def _submit(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(self._checker.submit(work))


async def _told(items: AsyncGenerator[R, None], tell: Hear) -> list[R]:
    """Return the items with only what is public of their results; tell each as it is done."""
    found: list[R] = []
    async with aclosing(items):
        async for one in items:
            found.append(one.model_copy(update={"result": one.result and public_result(one.result)}))
            tell(found[-1])
    return found


def _on_this_loop(hear: Hear) -> Hear:
    """Return a function that calls another on the event loop that runs now."""
    loop = asyncio.get_running_loop()

    def tell(part: Any) -> None:
        loop.call_soon_threadsafe(hear, part)

    return tell


def read_submitted(text: str, file: bytes, name: str) -> Article:
    """Return a text, or that of a file, cut into sentences.

    Raises:
        DocumentsError: the file cannot be read, or has no text, or too much.
    """
    if not file:
        return read_text(text)
    article = read_file(name or "file", file, _suffix(name))
    if len(article.text) > TEXT:
        raise DocumentsError(f"{article.name}: expected at most {TEXT:,} characters, got {len(article.text):,}")
    return article


def uploaded(documents: Iterable[UploadedDocument], settings: Settings) -> PageCollection:
    """Return documents as a collection, to be read within the reading time of one claim."""
    left_out: list[str] = []
    read = partial(_pages, documents, left_out)
    return PageCollection(read, settings, seconds=settings.run.reading, left_out=left_out)


def _pages(documents: Iterable[UploadedDocument], left_out: list[str], flaws: Flaws, limits: Limits) -> Iterator[Page]:
    """Yield the documents as pages; add a message to ``left_out`` for each without a text that can be read in time."""
    number = 0
    for place, document in enumerate(documents, start=1):
        name = document.name or f"document {place}"
        if not limits.left:
            left_out.append(f"{name} is left out: {LATE}")
            continue
        found = number
        for page in _read(name, document, flaws, limits):
            yield replace(page, number=number)
            number += 1
        if number == found:
            left_out.append(f"{name} is skipped: no text in it can be read")


def _read(name: str, document: UploadedDocument, flaws: Flaws, limits: Limits) -> Iterator[Page]:
    if not document.file:
        return page_of_text(0, name, document.text, flaws, limits)
    return pages_of_file(name, document.file, _suffix(name), flaws, limits)


def _suffix(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return suffix if suffix in SUFFIXES else ""
