"""The engine as a library: claims, texts or citations in; verdicts with evidence and graph out.

Each method blocks and has an asynchronous form whose name begins with ``a``. Use one form or the other with a checker,
because a model may belong to the event loop that first used it. Logging goes to the logger ``system``.

    with FactChecker() as checker:
        print(checker.check("The Aster bridge opened in 1931.", "notes/").verdict)
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar, Unpack

from knowledge_store.pages.documents import DocumentsError
from knowledge_store.progress import progress_bar
from system.article.checking import check_article
from system.article.reading import read_text
from system.article.records import Article, CheckedStatement
from system.averitec.claims import claim_of
from system.check import Engine, load_engine
from system.checker import Checked, Checker
from system.citations.checking import check_citations
from system.citations.marks import citing_of
from system.citations.records import CheckedCitation, CitingText
from system.collection import Collection, PageCollection, Rankers, StoreCollection, document_collection
from system.documents import Documents, listed, stores_in
from system.graph.graph import Listener, unheard
from system.graph.records import Claim, ClaimsError, shown
from system.hardware.machine import choose_profile
from system.settings import Settings, SettingsError, load
from system.threads import LoopThread, in_own_thread

T = TypeVar("T")
ClaimLike = Claim | str | Mapping[str, Any]
"""A claim, its text alone, or its fields by the names that they have in a file of claims."""


class CheckerClosed(RuntimeError):
    """A checker was used after its end."""


class ManyOptions(TypedDict, total=False):
    """Options of ``FactChecker.check_many``, described there."""

    store: Path | str | None
    fetch: bool
    progress: bool


class TextOptions(ManyOptions, total=False):
    """Options of ``FactChecker.check_text``, described there."""

    date: str
    speaker: str
    done: Iterable[CheckedStatement]


class CitationOptions(TypedDict, total=False):
    """Options of ``FactChecker.check_citations``, described there."""

    fetch: bool
    date: str
    progress: bool


class FactChecker:
    """Checks claims with models that are loaded once, here. A context manager that frees them.

    Args:
        profile: name of a profile or path of a TOML file; by default the one that fits this machine.
        engine: one that is loaded already, in place of a profile and settings.
        settings: by the same names as in profiles and flags: ``depth=2, budget=30.0, strategy="got"``.

    Raises:
        SettingsError: no such profile or setting, or a value out of its range.
        SearchError: the archive that the settings name is not there.
        EncoderUnavailable, ModelUnavailable, ReaderUnavailable: what the profile asks for cannot be loaded.
    """

    def __init__(self, profile: str | Path | None = None, *, engine: Engine | None = None, **settings: Any) -> None:
        self.engine = _engine(profile, engine, settings)
        self._checker = Checker(self.engine)
        self._rankers = Rankers(self.engine.settings, self.engine.settings.run.workers)
        self._loop = LoopThread("fact checker")  # so that the blocking form works where a loop is running: in notebooks
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the models; closing twice is harmless."""
        if not self._closed:
            self._rankers.close()
            self._wait(self.engine.model.close())
            self._closed = True
            self._loop.close()

    def check(
        self, claim: ClaimLike, documents: Documents, *, fetch: bool = False, listener: Listener = unheard
    ) -> Checked:
        """Check one claim; if the search that the settings name fails, the result names that failure.

        Args:
            fetch: whether documents that are web addresses are fetched.
            listener: called for each thought as it is added to the graph, in the checker's own thread.

        Raises:
            ClaimsError: the claim is empty, or no claim at all.
            DocumentsError: nothing could be read.
        """
        return self._wait(self.acheck(claim, documents, fetch=fetch, listener=listener))

    async def acheck(
        self,
        claim: ClaimLike,
        documents: Documents | Collection,
        *,
        fetch: bool = False,
        listener: Listener = unheard,
        budget: float | None = None,
    ) -> Checked:
        """See ``check``; ``budget`` is in seconds, in place of that of the settings."""
        collection = (
            documents
            if isinstance(documents, Collection)
            else document_collection(documents, self.engine.settings, fetch=fetch)
        )
        return await self._checker.check(_claim(claim), collection, listener=listener, budget=budget)

    def store(self, file: Path, settings: Settings | None = None) -> Collection:
        """Return a knowledge store or an archive as a collection."""
        return StoreCollection(file, settings or self.engine.settings, self._rankers)

    def check_many(
        self, claims: Iterable[ClaimLike], documents: Documents = (), **options: Unpack[ManyOptions]
    ) -> Generator[Checked, None, None]:
        """Check many claims, several at a time; as in a run, they share their time (see ``Allowance``).

        Args:
            claims: each as ``check`` takes it; one without an id has its place among them as id.
            documents: what each is checked against, read once for all.
            options: ``store``: in place of documents, a folder with ``<claim id>.json``, or one file for all;
                ``fetch``: whether documents that are web addresses are fetched; ``progress``: show a progress bar on
                standard error.

        Returns:
            One for each claim, in their order, each as soon as it and those before are done. A claim's store that
            cannot be read is a failure of this claim.

        Raises:
            ClaimsError: a claim is empty, or no claim at all.
            DocumentsError: nothing could be read.
        """
        return self._each(self.acheck_many(claims, documents, **options))

    def acheck_many(
        self, claims: Iterable[ClaimLike], documents: Documents = (), **options: Unpack[ManyOptions]
    ) -> AsyncGenerator[Checked, None]:
        """See ``check_many``."""
        given, store = _claims(claims), options.get("store")
        if store is not None and documents != ():
            raise DocumentsError("documents: expected documents or a store, got both; leave one out")
        if store is not None and not (Path(store).exists() or self.engine.settings.retrieval.search):
            raise DocumentsError(
                f"{store} not found; expected a folder with <claim id>.json, or one file for all claims"
            )
        return self._many(given, documents, None if store is None else Path(store), options)

    async def _many(
        self, claims: Sequence[Claim], documents: Documents, store: Path | None, options: ManyOptions
    ) -> AsyncGenerator[Checked, None]:
        fetch, progress = options.get("fetch", False), options.get("progress", False)
        collection: Collection = (
            self.store(store)
            if store
            else document_collection(documents, self.engine.settings, fetch=fetch, progress=progress)
        )
        checks = self._checker.check_many(claims, collection, in_order=True)
        async with aclosing(_shown(checks, len(claims), "claim", progress)) as counted:
            async for checked in counted:
                yield checked

    def check_text(
        self, text: str | Article, documents: Documents = (), **options: Unpack[TextOptions]
    ) -> Generator[CheckedStatement, None, None]:
        """Check each statement of a text, and yield it as it is done; ``CheckedText.of`` puts them into order.

        Partial results can be kept: stop iterating at any time, and give what was yielded as ``done`` later.

        Args:
            text: as it is, or cut already by ``read_article`` or ``article_of``.
            documents: what to check it against; may be empty if the settings say where else to search.
            options: as those of ``check_many``, and ``date`` and ``speaker`` of the text, as in ``Claim``; ``done``:
                statements that were checked before. A ``store`` may be a folder of knowledge stores too.

        Raises:
            ClaimsError: the date has no form of a date.
            DocumentsError: nothing could be read.
        """
        return self._each(self.acheck_text(text, documents, **options))

    async def acheck_text(
        self, text: str | Article, documents: Documents | PageCollection = (), **options: Unpack[TextOptions]
    ) -> AsyncGenerator[CheckedStatement, None]:
        """See ``check_text``."""
        article = text if isinstance(text, Article) else await in_own_thread(partial(read_text, text))
        store, fetch, progress = options.get("store"), options.get("fetch", False), options.get("progress", False)
        if isinstance(documents, PageCollection):
            collection = documents
        else:
            given = stores_in(store) if store else documents
            collection = document_collection(given, self.engine.settings, own=not store, fetch=fetch, progress=progress)
        date, speaker, done = options.get("date", ""), options.get("speaker", ""), options.get("done", ())
        checking = check_article(self._checker, article, collection, date=date, speaker=speaker, done=done)
        async with aclosing(_shown(checking, len(article.claims), "statement", progress)) as statements:
            async for statement in statements:
                yield statement

    def check_citations(
        self, text: str | CitingText, documents: Documents = (), **options: Unpack[CitationOptions]
    ) -> Generator[CheckedCitation, None, None]:
        """Check whether the sources that a text cites say what its sentences say; yield each citation as it is done.

        Args:
            text: Markdown, or read already by ``read_citing``.
            documents: the sources; a citation finds its own by name or address, else beside the text.
            options: ``fetch``: whether addresses that no document has are fetched; ``date`` of the text, as in
                ``Claim``; ``progress``: show a progress bar on standard error.

        Raises:
            ClaimsError: the date has no form of a date.
            DocumentsError: the documents cannot be read.
        """
        return self._each(self.acheck_citations(text, documents, **options))

    async def acheck_citations(
        self, text: str | CitingText, documents: Documents = (), **options: Unpack[CitationOptions]
    ) -> AsyncGenerator[CheckedCitation, None]:
        """See ``check_citations``."""
        citing = text if isinstance(text, CitingText) else await in_own_thread(partial(citing_of, text))
        fetch, date = options.get("fetch", False), options.get("date", "")
        checking = check_citations(self._checker, citing, listed(documents), fetch=fetch, date=date)
        counted = _shown(checking, len(citing.citations), "citation", options.get("progress", False))
        async with aclosing(counted) as citations:
            async for citation in citations:
                yield citation

    def _each(self, items: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        """The items of an asynchronous iterator, which goes on while they are used."""

        running: asyncio.Task[Any] | None = None

        async def following() -> T | None:
            nonlocal running
            running = asyncio.current_task()
            return await anext(items, None)

        async def close() -> None:
            if running and not running.done():  # Ctrl-C ended the wait for it, and not the work
                running.cancel()
                await asyncio.wait([running])
            await items.aclose()

        try:
            while (item := self._wait(following())) is not None:
                yield item
        finally:
            if not self._closed:
                self._wait(close())

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.submit(work).result()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start work, of an asynchronous form, on the checker's own event loop; ``CheckerClosed`` after its end."""
        if self._closed:
            work.close()
            raise CheckerClosed("this FactChecker is closed; make another, or check before the end of its with block")
        return self._loop.submit(work)


async def _shown(items: AsyncGenerator[T, None], total: int, unit: str, progress: bool) -> AsyncGenerator[T, None]:
    """Yield items; if wanted, show on standard error how many of them there are."""
    with progress_bar(total=total, unit=unit, disable=not progress) as bar:
        async with aclosing(items):
            async for item in items:
                bar.update()
                yield item


def _engine(profile: str | Path | None, engine: Engine | None, settings: Mapping[str, Any]) -> Engine:
    """The engine that was given, or that of a profile with some settings changed."""
    if engine and (profile or settings):
        raise SettingsError(
            "engine: it has its settings already; leave out the profile and the settings, or the engine"
        )
    return engine or load_engine(load(str(profile or choose_profile(settings)[0]), dict(settings)))


def _claims(claims: Iterable[ClaimLike]) -> list[Claim]:
    if isinstance(claims, str | Mapping | Claim) or not isinstance(claims, Iterable):
        raise ClaimsError(f"claims: expected several, in a list for instance, got {shown(claims)}; check takes one")
    return [_claim(claim, number) for number, claim in enumerate(claims)]


def _claim(claim: ClaimLike, number: int | None = None) -> Claim:
    """Normalize a claim; number it if it is one of several and has no id."""
    place = "claim" if number is None else f"claim {number}"
    if isinstance(claim, str):
        if not claim.strip():
            raise ClaimsError(f"{place}: expected a statement to check, got an empty text")
        claim = Claim(claim)
    elif isinstance(claim, Mapping):
        claim = claim_of(claim, place)
    elif not isinstance(claim, Claim):
        raise ClaimsError(f"{place}: expected a text, a Claim or a dictionary, got {shown(claim)}")
    return claim if claim.numbered or number is None else claim.model_copy(update={"id": number})
