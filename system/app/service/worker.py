"""The worker: one engine on an event loop of its own thread, so that a model that computes blocks no client.

The service, its local socket and the MCP server are loops around it. What a check reports while it runs is told to a
function of the caller's, on the caller's event loop, all of it before the check returns. Cancelling a check stops it.

    checked = await worker.check(claim, partial(uploaded, documents), budget=60.0, hear=print)
"""

import asyncio
import logging
from base64 import b64decode
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, TypeVar

from knowledge_store.dense.search import PassageIndex
from knowledge_store.isolation import LATE, Limits
from knowledge_store.pages.documents import DocumentsError, page_of_text, pages_of_file, read_documents
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from system.app.service.schema import TEXT, UploadedDocument
from system.article.checking import check_article
from system.article.reading import read_file, read_text
from system.article.records import Article, CheckedStatement, CheckedText
from system.check import Engine
from system.checker import Checked, Checker
from system.citations.checking import check_citations, citing_of
from system.citations.records import CheckedCitation, CheckedCitations
from system.citations.sources import sources_of
from system.collection import Collection, PageCollection, Rankers, StoreCollection
from system.documents import Documents, listed
from system.graph.records import Claim, ClaimResult, Content, Failure
from system.graph.thoughts import Thought
from system.models.loop_thread import LoopThread, in_own_thread
from system.settings import Settings

T = TypeVar("T")
Hear = Callable[[Any], None]

log = logging.getLogger(__name__)


class UnknownStore(Exception):
    """The service has no store of this name."""


class Stores:
    """The files ``NAME.json`` of a folder.

    A name is looked up in the folder's own listing. No path is made of it, so it can lead nowhere else.

    Args:
        folder: None if claims come with documents only.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted(self._listing())

    def __getitem__(self, name: str) -> Path:
        """Return the file of a store.

        Raises:
            UnknownStore: the listing has no such name.
        """
        try:
            return self._listing()[name]
        except KeyError:
            raise UnknownStore("no store has this name; GET /stores lists all names") from None

    def _listing(self) -> dict[str, Path]:
        files = self._folder.glob("[!.]*.json") if self._folder else ()
        return {file.stem: file for file in files if file.is_file()}


def public_thought(thought: Thought[Content]) -> Thought[Content]:
    """Return the thought; if it is a failure, without its particulars, which are logged."""
    content = thought.content
    if not isinstance(content, Failure):
        return thought
    log.warning("%s: %s", content.operation, content.message)
    return thought.model_copy(update={"content": public_failure(content)})


def public_result(result: ClaimResult) -> ClaimResult:
    """Return the result, its failures without their particulars, which are logged."""
    for failure in result.failures:
        log.warning("%s: %s", failure.operation, failure.message)
    return result.model_copy(update={"failures": tuple(map(public_failure, result.failures))})


def public_failure(failure: Failure) -> Failure:
    """Return the failure with only its cause; if it has no cause, its message is for clients.

    A message can hold what only the operator should see: paths, addresses of model servers, keys in them.

    >>> message = "backend error: http://me:key@10.0.0.7 is gone"
    >>> public_failure(Failure(operation="answer", message=message, cause="backend error")).message
    "backend error; the service's log has the details"
    """
    if not failure.cause:
        return failure
    return failure.model_copy(update={"message": f"{failure.cause}; the service's log has the details"})


class Worker:
    """Runs an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loop = LoopThread("worker")
        self._checker = Checker(engine)
        self._rankers = Rankers(engine.settings, engine.settings.run.max_concurrent_claims)

    async def check(
        self, claim: Claim, collect: Callable[[Settings], Collection], hear: Hear, *, budget: float | None = None
    ) -> Checked:
        """Check a claim.

        Args:
            collect: makes the collection, with the settings of the check.
            hear: called for each thought.
            budget: seconds; by default that of the settings.

        Raises:
            DocumentsError: there is no text to search.
        """
        settings = self.engine.settings
        run = settings.run.model_copy(update={"budget": budget or settings.run.budget})
        settings = settings.model_copy(update={"run": run})
        checker = Checker(replace(self.engine, settings=settings))
        return await self._submit(checker.check(claim, collect(settings), listener=_on_this_loop(hear)))

    async def check_text(
        self,
        read: Callable[[], Article],
        collect: Callable[[Settings], PageCollection],
        hear: Hear,
        *,
        date: str = "",
        speaker: str = "",
    ) -> CheckedText:
        """Check the statements of a text.

        Args:
            read: reads the text, in a thread.
            hear: called for the text, then for each statement as it is done.

        Raises:
            DocumentsError: the text cannot be read, or there is no text to search.
        """
        tell = _on_this_loop(hear)

        async def work() -> CheckedText:
            article = await in_own_thread(read)
            tell(article)
            found: list[CheckedStatement] = []
            collection = collect(self.engine.settings)
            checking = check_article(self._checker, article, collection, date=date, speaker=speaker)
            async with aclosing(checking) as statements:
                async for one in statements:
                    found.append(one.model_copy(update={"result": public_result(one.result)}))
                    tell(found[-1])
            return CheckedText.of(article, found)

        return await self._submit(work())

    async def check_citations(
        self, text: str, documents: Documents, hear: Hear, *, fetch: bool = False, date: str = ""
    ) -> CheckedCitations:
        """Check the citations of a text in Markdown.

        Args:
            hear: called for the text with its citations, then for each citation as it is done.

        Raises:
            DocumentsError: the text cites nothing, or the documents cannot be read.
        """
        tell = _on_this_loop(hear)

        async def work() -> CheckedCitations:
            citing = await in_own_thread(partial(citing_of, text))
            if not citing.citations:
                raise DocumentsError("text: expected links, footnotes or numbered references, got none in a statement")
            tell(citing)
            found: list[CheckedCitation] = []
            seconds = self.engine.settings.run.reading * len(citing.citations)  # they read together
            sources = sources_of(listed(documents), None, fetch=fetch, seconds=seconds)
            async with aclosing(check_citations(self._checker, citing, sources, date=date)) as checking:
                async for one in checking:
                    shown = {"result": one.result and public_result(one.result)}
                    found.append(one.model_copy(update=shown))
                    tell(found[-1])
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

    def store(self, file: Path) -> Callable[[Settings], Collection]:
        """Return what makes a collection of a knowledge store or an archive; see ``check``."""
        return lambda settings: StoreCollection(file, settings, self._rankers)

    async def close(self) -> None:
        """Free the model, and end the thread and the processes that rank stores."""
        self._rankers.close()
        await self._submit(self.engine.model.close())
        await asyncio.to_thread(self._loop.close)

    async def _submit(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(self._loop.submit(work))


def _on_this_loop(hear: Hear) -> Hear:
    """Return a function that calls another on the event loop that runs now."""
    loop = asyncio.get_running_loop()

    def tell(part: Any) -> None:
        loop.call_soon_threadsafe(hear, part)

    return tell


def read_submitted(text: str, file: str, name: str) -> Article:
    """Return a text, or that of a file in Base64, cut into sentences.

    Raises:
        DocumentsError: the file cannot be read, or has no text, or too much.
    """
    if not file:
        return read_text(text)
    article = read_file(name or "file", b64decode(file), _suffix(name))
    if len(article.text) > TEXT:
        raise DocumentsError(f"{article.name}: expected at most {TEXT:,} characters, got {len(article.text):,}")
    return article


def uploaded(documents: Iterable[UploadedDocument], settings: Settings) -> PageCollection:
    """Return documents as a collection, to be read within the reading time of one claim."""
    left_out: list[str] = []
    read = partial(_pages, documents, left_out)
    return PageCollection(read, settings, seconds=settings.run.reading, left_out=left_out)


def stored_pages(file: Path, settings: Settings) -> PageCollection:
    """Return a store as pages that are read once for all statements of a text."""

    def read(flaws: Flaws, limits: Limits) -> Iterator[Page]:
        return read_documents([file], flaws, limits=limits)

    return PageCollection(read, settings, name="store", own=False, seconds=settings.run.reading)


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
    return pages_of_file(name, b64decode(document.file), _suffix(name), flaws, limits)


def _suffix(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return suffix if suffix in SUFFIXES else ""
