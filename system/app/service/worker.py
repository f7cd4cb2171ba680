"""The worker: checks claims on an event loop of its own thread, so that a model that computes blocks no client."""

import asyncio
import logging
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from threading import Event
from time import monotonic, perf_counter

from knowledge_store.isolation import LATE, LIMITS, Limits, Workers
from knowledge_store.pages.documents import DocumentsError, page_of_text, pages_of_file, read_documents
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page, ReadingReport
from knowledge_store.ranking import RankedStore, rank, warm_up
from system.app.service.schema import TEXT, UploadedDocument
from system.article.checking import check_article
from system.article.reading import read_file, read_text
from system.article.records import Article, CheckedStatement, CheckedText
from system.check import READ, Engine, check, unread, unread_parts
from system.correction.correcting import with_correction
from system.graph.graph import Listener
from system.graph.records import Claim, ClaimResult, Content, Failure
from system.graph.thoughts import Thought
from system.models.loop_thread import LoopThread, in_own_thread
from system.runner.ranking_pool import ranking_limits
from system.settings import Settings

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
    """Runs an engine; what it returns and tells is fit for clients."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loop = LoopThread("worker")
        run, retrieval = engine.settings.run, engine.settings.retrieval
        self._stores = Workers(run.max_concurrent_claims, warm_up, retrieval)

    async def check(self, order: Order, listener: Listener) -> ClaimResult:
        """Check a claim; cancelling stops the work.

        Args:
            listener: is told of each thought on the caller's event loop, all of them before this returns.

        Raises:
            DocumentsError: no document can be read.
        """
        loop = asyncio.get_running_loop()

        def tell(thought: Thought[Content]) -> None:
            loop.call_soon_threadsafe(listener, public_thought(thought))

        return await asyncio.wrap_future(self._loop.submit(self._check(order, tell)))

    async def check_text(self, order: TextOrder, listener: Callable[[Article | CheckedStatement], None]) -> CheckedText:
        """Check the statements of a text; cancelling stops the work.

        Args:
            listener: is told of the text, cut into sentences, then of each statement as it is done, on the caller's
                event loop, all of them before this returns.

        Raises:
            DocumentsError: there is no text to check against.
        """
        loop = asyncio.get_running_loop()

        def tell(part: Article | CheckedStatement) -> None:
            loop.call_soon_threadsafe(listener, part)

        return await asyncio.wrap_future(self._loop.submit(self._check_text(order, tell)))

    async def close(self) -> None:
        """Free the model, and end the thread and the processes that rank stores."""
        self._stores.close()
        await asyncio.wrap_future(self._loop.submit(self.engine.model.close()))
        await asyncio.to_thread(self._loop.close)

    async def _check(self, order: Order, listener: Listener) -> ClaimResult:
        engine = self.engine if isinstance(order.material, Path) else self.engine.for_documents()
        settings = engine.settings
        run = settings.run.model_copy(update={"budget": order.budget})
        engine = replace(engine, settings=settings.model_copy(update={"run": run}))
        ranked, failures = await _rank(order, engine.settings, self._stores)
        result, _ = await check(engine, order.claim, ranked, failures, listener=listener)
        return public_result(await asyncio.to_thread(with_correction, result, engine.reader.verifier))

    async def _check_text(
        self, order: TextOrder, listener: Callable[[Article | CheckedStatement], None]
    ) -> CheckedText:
        article = await in_own_thread(partial(_article, order))
        listener(article)
        flaws, left_out = Flaws(), list[str]()
        limits = _within(self.engine.settings.run.reading)
        if isinstance(order.material, Path):
            own, name, pages = False, "store", read_documents([order.material], flaws, limits=limits)
        else:
            own, name, pages = True, "documents", _pages(order.material, left_out, limits)
        engine = self.engine.for_documents(own=own)
        found: list[CheckedStatement] = []
        checking = check_article(engine, article, pages, name=name, flaws=flaws, date=order.date, speaker=order.speaker)
        async for one in checking:
            result = public_result(one.result)
            unreadable = tuple(Failure(operation=READ, message=message) for message in left_out)
            result = result.model_copy(update={"failures": (*result.failures, *unreadable)})
            found.append(one.model_copy(update={"result": result}))
            listener(found[-1])
        return CheckedText.of(article, found)


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


async def _rank(order: Order, settings: Settings, stores: Workers) -> tuple[RankedStore, list[Failure]]:
    """Rank the order's passages; what cannot be read in time is an empty store and a named failure.

    Raises:
        DocumentsError: no document can be read.
    """
    began = perf_counter()
    given_up = Event()
    try:
        async with asyncio.timeout(order.budget):
            ranked, failures = await in_own_thread(partial(_rank_now, order, settings, stores, given_up))
    except TimeoutError:
        return _nothing(began), [unread("reading used up the budget")]
    except DocumentsError:
        raise
    except Exception as error:  # whatever a text does to its reader, the claim has an answer
        log.exception("reading for %r", order.claim.text)
        return _nothing(began), [unread(type(error).__name__)]
    finally:
        given_up.set()
    return ranked, [*failures, *unread_parts("store", ranked)]


def _rank_now(order: Order, settings: Settings, stores: Workers, given_up: Event) -> tuple[RankedStore, list[Failure]]:
    claim, material, seconds = order.claim, order.material, settings.run.reading
    if isinstance(material, Path):
        ranking = partial(rank, seconds=seconds)
        return stores.call(
            ranking_limits(order.budget, material), ranking, material, claim.text, settings.retrieval, claim.day
        ), []
    left_out: list[str] = []
    pages = _pages(material, left_out, _within(seconds), given_up)
    ranked = rank(pages, claim.text, settings.retrieval, claim.day, name="documents", seconds=seconds)
    nothing = len(left_out) == len(material)
    if nothing and not (ranked.passages or given_up.is_set() or any(LATE in message for message in left_out)):
        raise DocumentsError("; ".join(left_out))
    return ranked, [Failure(operation=READ, message=message, unanswered=nothing) for message in left_out]


def _within(seconds: float) -> Limits:
    """Limits of reading that ends so many seconds from now."""
    return replace(LIMITS, until=monotonic() + seconds)


def _pages(
    documents: Iterable[UploadedDocument], left_out: list[str], limits: Limits, given_up: Event | None = None
) -> Iterator[Page]:
    """The documents as pages; messages of those without a text that can be read in time are added to ``left_out``."""
    number = 0
    for place, document in enumerate(documents, start=1):
        name = document.name or f"document {place}"
        if not limits.left or (given_up and given_up.is_set()):
            left_out.append(f"{name} is left out: {LATE}")
            continue
        found = number
        for page in _read(name, document, limits):
            yield replace(page, number=number)
            number += 1
        if number == found:
            left_out.append(f"{name} is skipped: no text in it can be read")


def _read(name: str, document: UploadedDocument, limits: Limits) -> Iterator[Page]:
    if not document.file:
        return page_of_text(0, name, document.text, Flaws(), limits)
    suffix = PurePath(name).suffix.lower()
    return pages_of_file(name, b64decode(document.file), suffix if suffix in SUFFIXES else "", Flaws(), limits)


def _nothing(began: float) -> RankedStore:
    return RankedStore((), (), ReadingReport("nothing", 0, 0, {}), perf_counter() - began)
