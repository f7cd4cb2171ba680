"""The worker: checks claims on an event loop of its own thread, so that a model that computes blocks no client."""

import asyncio
import logging
from base64 import b64decode
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, TypeVar

from knowledge_store.isolation import LATE, Limits
from knowledge_store.pages.documents import DocumentsError, page_of_text, pages_of_file, read_documents
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from system.app.service.schema import TEXT, UploadedDocument
from system.article.checking import check_article
from system.article.reading import read_file, read_text
from system.article.records import Article, CheckedStatement, CheckedText
from system.check import Engine
from system.checker import Checker
from system.collection import PageCollection, Rankers, StoreCollection
from system.graph.graph import Listener
from system.graph.records import Claim, ClaimResult, Content, Failure
from system.graph.thoughts import Thought
from system.models.loop_thread import LoopThread, in_own_thread
from system.settings import Settings

T = TypeVar("T")

log = logging.getLogger(__name__)


class UnknownStore(Exception):
    """The service has no store of this name."""


class Stores:
    """The files ``NAME.json`` of a folder.

    A name is looked up in the folder's own listing; no path is ever made of it, so it can lead nowhere else.

    Args:
        folder: None where claims come with documents only.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._listing())

    def __getitem__(self, name: str) -> Path:
        """The file of a store.

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
    """The thought, of a failure without its particulars, which are logged."""
    content = thought.content
    if not isinstance(content, Failure):
        return thought
    log.warning("%s: %s", content.operation, content.message)
    return thought.model_copy(update={"content": public_failure(content)})


def public_result(result: ClaimResult) -> ClaimResult:
    """The result, its failures without their particulars, which are logged."""
    for failure in result.failures:
        log.warning("%s: %s", failure.operation, failure.message)
    return result.model_copy(update={"failures": tuple(map(public_failure, result.failures))})


def public_failure(failure: Failure) -> Failure:
    """The failure with its cause alone; one without a cause has a message that is fit to be read.

    A message can hold what only the operator should see: paths, addresses of model servers, keys in them.

    >>> message = "backend error: http://me:key@10.0.0.7 is gone"
    >>> public_failure(Failure(operation="answer", message=message, cause="backend error")).message
    "backend error; the service's log has the details"
    """
    if not failure.cause:
        return failure
    return failure.model_copy(update={"message": f"{failure.cause}; the service's log has the details"})


@dataclass(frozen=True)
class Order:
    """A claim to check.

    Attributes:
        material: the documents to read, or the file of a store, which only the service's own listing can name.
        budget: seconds.
    """

    claim: Claim
    material: tuple[UploadedDocument, ...] | Path
    budget: float


@dataclass(frozen=True)
class TextOrder:
    """A text to check.

    Attributes:
        text: empty where there is a file.
        date: of the text; with the speaker, as in ``Claim``.
        material: as in ``Order``.
        file: that holds the text, in Base64.
        name: of the file; its ending says in which format it is.
    """

    text: str
    date: str
    speaker: str
    material: tuple[UploadedDocument, ...] | Path
    file: str = ""
    name: str = ""


class Worker:
    """Runs an engine; everything that it returns and tells is fit for clients."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loop = LoopThread("worker")
        self._rankers = Rankers(engine.settings, engine.settings.run.max_concurrent_claims)

    async def check(self, order: Order, listener: Listener) -> ClaimResult:
        """Check a claim; cancelling stops the work.

        Args:
            listener: called for each thought on the caller's event loop, for all of them before this returns.

        Raises:
            DocumentsError: no document can be read.
        """
        tell = _teller(listener)
        return await self._submit(self._check(order, lambda thought: tell(public_thought(thought))))

    async def check_text(self, order: TextOrder, listener: Callable[[Article | CheckedStatement], None]) -> CheckedText:
        """Check the statements of a text; cancelling stops the work.

        Args:
            listener: called for the text, cut into sentences, then for each statement as it is done, on the caller's
                event loop, for all of them before this returns.

        Raises:
            DocumentsError: there is no text to check against.
        """
        return await self._submit(self._check_text(order, _teller(listener)))

    async def close(self) -> None:
        """Free the model, and end the thread and the processes that rank stores."""
        self._rankers.close()
        await self._submit(self.engine.model.close())
        await asyncio.to_thread(self._loop.close)

    async def _submit(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(self._loop.submit(work))

    async def _check(self, order: Order, listener: Listener) -> ClaimResult:
        settings = self.engine.settings
        run = settings.run.model_copy(update={"budget": order.budget})
        engine = replace(self.engine, settings=settings.model_copy(update={"run": run}))
        collection = (
            StoreCollection(order.material, engine.settings, self._rankers)
            if isinstance(order.material, Path)
            else _collection(order.material, engine.settings)
        )
        return public_result((await Checker(engine).check(order.claim, collection, listener=listener)).result)

    async def _check_text(
        self, order: TextOrder, listener: Callable[[Article | CheckedStatement], None]
    ) -> CheckedText:
        article = await in_own_thread(partial(_article, order))
        listener(article)
        found: list[CheckedStatement] = []
        collection = _collection(order.material, self.engine.settings)
        checking = check_article(Checker(self.engine), article, collection, date=order.date, speaker=order.speaker)
        async with aclosing(checking) as statements:
            async for one in statements:
                found.append(one.model_copy(update={"result": public_result(one.result)}))
                listener(found[-1])
        return CheckedText.of(article, found)


def _teller(listener: Callable[[T], None]) -> Callable[[T], None]:
    """A function that calls the listener on the event loop of the caller."""
    loop = asyncio.get_running_loop()

    def tell(part: T) -> None:
        loop.call_soon_threadsafe(listener, part)

    return tell


def _article(order: TextOrder) -> Article:
    """The text of an order, or of its file, cut into sentences.

    Raises:
        DocumentsError: the file cannot be read, or has no text, or too much.
    """
    if not order.file:
        return read_text(order.text)
    suffix = PurePath(order.name).suffix.lower()
    article = read_file(order.name or "file", b64decode(order.file), suffix if suffix in SUFFIXES else "")
    if len(article.text) > TEXT:
        raise DocumentsError(f"{article.name}: expected at most {TEXT:,} characters, got {len(article.text):,}")
    return article


def _collection(material: tuple[UploadedDocument, ...] | Path, settings: Settings) -> PageCollection:
    """A store, or documents, to be read once and within the reading time of one claim."""
    seconds = settings.run.reading
    if isinstance(material, Path):
        read = partial(_read_store, material)
        return PageCollection(read, settings, name="store", own=False, seconds=seconds)
    left_out: list[str] = []
    return PageCollection(partial(_pages, material, left_out), settings, seconds=seconds, left_out=left_out)


def _read_store(path: Path, flaws: Flaws, limits: Limits) -> Iterator[Page]:
    return read_documents([path], flaws, limits=limits)


def _pages(documents: Iterable[UploadedDocument], left_out: list[str], flaws: Flaws, limits: Limits) -> Iterator[Page]:
    """The documents as pages; messages of those without a text that can be read in time are added to ``left_out``."""
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
    suffix = PurePath(name).suffix.lower()
    return pages_of_file(name, b64decode(document.file), suffix if suffix in SUFFIXES else "", flaws, limits)
