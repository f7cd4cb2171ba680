"""The engine as a library: a claim and what to search in; verdict, evidence and graph out.

The methods block; beside each stands its asynchronous form, whose name begins with ``a``. Use one form or the other
with a checker: a model may belong to the event loop that first used it. Logging goes to the logger ``system``.
"""

import asyncio
import queue
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Coroutine, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, aclosing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Self, TypeVar, Unpack

from knowledge_store.isolation import LIMITS
from knowledge_store.pages.documents import DocumentsError
from knowledge_store.pages.page import Flaws
from knowledge_store.progress import progress_bar
from system.article.checking import check_article, stores_in
from system.article.reading import read_text
from system.article.records import Article, CheckedStatement, each_of
from system.averitec.claims import claim_of
from system.check import Engine, check, load_engine
from system.citations.checking import check_citations, citing_of
from system.citations.records import CheckedCitation, CitingText
from system.citations.sources import Sources
from system.correction.correcting import with_correction
from system.documents import Document, Documents, listed, open_documents, rank_documents, rank_for_all
from system.graph.graph import Graph, Listener, unheard
from system.graph.records import Claim, ClaimResult, ClaimsError, Content, Correction, QuestionAnswer, Verdict, shown
from system.graph.thoughts import Thought
from system.hardware.machine import choose_profile
from system.keywords import SettingKeywords
from system.models.loop_thread import LoopThread, in_own_thread
from system.runner.checking import PooledChecks, Rank, check_all
from system.runner.ranking_pool import RankingPool, rank_of_search
from system.settings import SettingsError, load

T = TypeVar("T")
ClaimLike = Claim | str | Mapping[str, Any]
"""A claim, its text alone, or its fields by the names that they have in a file of claims."""

SCHEMA = 1
"""Version of what ``Checked.to_dict`` gives; it is raised when a field changes its meaning or goes."""


@dataclass(frozen=True)
class Checked:
    """A claim that was checked.

    Attributes:
        result: all that is known of the check: verdict, evidence, time, failures.
        graph: every thought, from the claim to the verdict.
    """

    result: ClaimResult
    graph: Graph

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
        """The refuted claim as one sentence of the evidence corrects it; None where that is not sure."""
        return self.result.correction

    def to_dict(self, *, graph: bool = False) -> dict[str, Any]:
        """Claim, verdict and evidence as plain values, for JSON.

        Args:
            graph: whether every thought is added.
        """
        plain = {"schema": SCHEMA, "claim": self.claim.model_dump(mode="json"), **self.result.to_dict()}
        return plain | ({"graph": self.graph.to_json()} if graph else {})


class CheckerClosed(RuntimeError):
    """A checker was used after its end."""


class FactChecker:
    """Checks claims; the models are loaded once, here. A context manager that frees them.

    Args:
        profile: name of a profile or path of a TOML file; the default is what this machine has.
        engine: one that is loaded already, in place of a profile and settings.
        settings: by the same names as in profiles and flags: ``depth=2, budget=30.0, strategy="got"``.

    Raises:
        SettingsError: no such profile or setting, or a value out of its range.
        SearchError: the archive that the settings name is not there.
        EncoderUnavailable, ModelUnavailable, VerifierUnavailable: what the profile asks for cannot be loaded.
    """

    def __init__(
        self, profile: str | Path | None = None, *, engine: Engine | None = None, **settings: Unpack[SettingKeywords]
    ) -> None:
        self.engine = _engine(profile, engine, settings)
        run = self.engine.settings.run
        self._ranking = RankingPool(self.engine.settings.retrieval, run.workers, run.budget)
        self._loop = LoopThread("fact checker")  # so that the blocking form works where a loop is running: in notebooks
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the models; a checker that is closed already stays so."""
        if not self._closed:
            self._ranking.close()
            self._wait(self.engine.model.close())
            self._closed = True
            self._loop.close()

    def check(self, claim: ClaimLike, documents: Documents, *, fetch: bool = False) -> Checked:
        """Check one claim.

        Args:
            fetch: whether documents that are web addresses are fetched.

        Raises:
            ClaimsError: the claim is empty, or no claim at all.
            DocumentsError: nothing could be read.
            SearchError: the search that the settings name failed, and there are no documents.
        """
        return self._wait(self.acheck(claim, documents, fetch=fetch))

    async def acheck(
        self, claim: ClaimLike, documents: Documents, *, fetch: bool = False, listener: Listener = unheard
    ) -> Checked:
        """See ``check``; the listener is told of each thought as it is added."""
        claim = _claim(claim)
        settings = self.engine.settings
        rank = partial(rank_documents, documents, claim, settings.retrieval, fetch=fetch, seconds=settings.run.reading)
        ranked = await in_own_thread(rank)
        result, graph = await check(self.engine.for_documents(), claim, ranked, listener=listener)
        return await self._checked(result, graph)

    def check_many(
        self,
        claims: Iterable[ClaimLike],
        documents: Documents = (),
        *,
        store: Path | str | None = None,
        fetch: bool = False,
        progress: bool = False,
    ) -> Generator[Checked, None, None]:
        """Check many claims, several at a time; as in a run, they share their time (see ``Allowance``).

        Args:
            claims: each as ``check`` takes it; one without an id has its place among them as id.
            documents: what each is checked against, read once for all.
            store: in place of documents, a folder with ``<claim id>.json``, or one file for all.
            fetch: whether documents that are web addresses are fetched.
            progress: show a progress bar on standard error.

        Returns:
            One for each claim, in their order, each as soon as it and those before are done. A store that cannot be
            read is a failure of its claim.

        Raises:
            ClaimsError: a claim is empty, or no claim at all.
            DocumentsError: nothing could be read.
        """
        return self._each(self.acheck_many(claims, documents, store=store, fetch=fetch, progress=progress))

    def acheck_many(
        self,
        claims: Iterable[ClaimLike],
        documents: Documents = (),
        *,
        store: Path | str | None = None,
        fetch: bool = False,
        progress: bool = False,
    ) -> AsyncGenerator[Checked, None]:
        """See ``check_many``."""
        given = _claims(claims)
        if store is not None and documents != ():
            raise DocumentsError("documents: expected documents or a store, got both; leave one out")
        return self._many(given, documents, None if store is None else _path(store), fetch=fetch, progress=progress)

    async def _many(
        self, claims: Sequence[Claim], documents: Documents, store: Path | None, *, fetch: bool, progress: bool
    ) -> AsyncGenerator[Checked, None]:
        if not claims:
            return
        engine = self.engine
        ranking: AbstractContextManager[Rank]
        if store is None:
            engine = engine.for_documents()
            seconds = engine.settings.run.reading
            read = partial(
                rank_for_all, documents, claims, engine.settings.retrieval,
                fetch=fetch, progress=progress, seconds=seconds,
            )  # fmt: skip
            ranking = nullcontext(partial(rank_of_search, await in_own_thread(read)))
        else:
            ranking = self._ranking.for_claims(store, claims)
        with ranking as rank, progress_bar(total=len(claims), unit="claim", disable=not progress) as bar:
            async with aclosing(check_all(PooledChecks(engine, rank), claims, in_order=True)) as checks:
                async for result, graph in checks:
                    bar.update()
                    yield await self._checked(result, graph)

    async def _checked(self, result: ClaimResult, graph: Graph) -> Checked:
        return Checked(await asyncio.to_thread(with_correction, result, self.engine.reader.verifier), graph)

    def thoughts(
        self, claim: ClaimLike, documents: Documents, *, fetch: bool = False
    ) -> Generator[Thought[Content], None, Checked]:
        """Yield the thoughts of a check as they are made; the verdict is the last.

        Returns:
            What ``check`` returns: the value of ``yield from``.

        Raises:
            ClaimsError, DocumentsError, SearchError: see ``check``.
        """
        heard: queue.SimpleQueue[Thought[Content] | None] = queue.SimpleQueue()
        running = self._submit(self.acheck(claim, documents, fetch=fetch, listener=heard.put))
        running.add_done_callback(lambda _: heard.put(None))
        try:
            yield from iter(heard.get, None)
            return running.result()
        finally:
            running.cancel()

    async def athoughts(
        self, claim: ClaimLike, documents: Documents, *, fetch: bool = False
    ) -> AsyncIterator[Thought[Content]]:
        """See ``thoughts``."""
        heard: asyncio.Queue[Thought[Content] | None] = asyncio.Queue()
        running = asyncio.create_task(self.acheck(claim, documents, fetch=fetch, listener=heard.put_nowait))
        running.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while (thought := await heard.get()) is not None:
                yield thought
            await running
        finally:
            running.cancel()

    def check_text(
        self,
        text: str | Article,
        documents: Documents = (),
        *,
        store: Path | str | None = None,
        fetch: bool = False,
        date: str = "",
        speaker: str = "",
        done: Collection[CheckedStatement] = (),
        progress: bool = False,
    ) -> Generator[CheckedStatement, None, None]:
        """Check each statement of a text, and yield it as it is done; ``CheckedText.of`` puts them into order.

        Args:
            text: as it is, or cut already by ``read_article`` or ``article_of``.
            documents: what to check it against; may be empty where the settings say where else to search.
            store: a knowledge store, or a folder of such, in place of documents.
            fetch: whether documents that are web addresses are fetched.
            date: of the text, as in ``Claim``.
            speaker: of the text.
            done: statements that were checked before.
            progress: show on standard error how far it is.

        Raises:
            ClaimsError: the date has no form of a date.
            DocumentsError: nothing could be read.
        """
        return self._each(
            self.acheck_text(
                text, documents, store=store, fetch=fetch, date=date, speaker=speaker, done=done, progress=progress
            )
        )

    async def acheck_text(
        self,
        text: str | Article,
        documents: Documents = (),
        *,
        store: Path | str | None = None,
        fetch: bool = False,
        date: str = "",
        speaker: str = "",
        done: Collection[CheckedStatement] = (),
        progress: bool = False,
    ) -> AsyncGenerator[CheckedStatement, None]:
        """See ``check_text``."""
        if not isinstance(text, str | Article):
            raise DocumentsError(f"text: expected a text or an Article, got {shown(text)}")
        done = each_of(CheckedStatement, "done", done)
        flaws = Flaws()
        article = await in_own_thread(partial(read_text, text)) if isinstance(text, str) else text
        engine = self.engine.for_documents(own=not store)
        seconds = engine.settings.run.reading * max(1, len(article.claims))  # they read together
        given = stores_in(_path(store)) if store else documents
        pages, name = open_documents(given, flaws, fetch=fetch, seconds=seconds)
        async for statement in check_article(
            engine, article, pages, name=name, flaws=flaws, date=date, speaker=speaker, done=done, progress=progress
        ):
            yield statement

    def check_citations(
        self,
        text: str | CitingText,
        documents: Documents = (),
        *,
        fetch: bool = False,
        date: str = "",
        progress: bool = False,
    ) -> Generator[CheckedCitation, None, None]:
        """Check whether the sources that a text cites say what its sentences say; yield each citation as it is done.

        Args:
            text: Markdown, or read already by ``read_citing``.
            documents: the sources; a citation finds its own by name or address.
            fetch: whether addresses that no document has are fetched.
            date: of the text, as in ``Claim``.
            progress: show on standard error how far it is.

        Raises:
            ClaimsError: the date has no form of a date.
            DocumentsError: the documents cannot be read.
        """
        return self._each(self.acheck_citations(text, documents, fetch=fetch, date=date, progress=progress))

    async def acheck_citations(
        self,
        text: str | CitingText,
        documents: Documents = (),
        *,
        fetch: bool = False,
        date: str = "",
        progress: bool = False,
    ) -> AsyncGenerator[CheckedCitation, None]:
        """See ``check_citations``."""
        if not isinstance(text, str | CitingText):
            raise DocumentsError(f"text: expected a text in Markdown or a CitingText, got {shown(text)}")
        citing = await in_own_thread(partial(citing_of, text)) if isinstance(text, str) else text
        given = listed(documents)
        seconds = self.engine.settings.run.reading * max(1, len(citing.citations))  # they read together
        pages, _ = open_documents(given, Flaws(), fetch=fetch, seconds=seconds)
        files = [one for one in given if not isinstance(one, Document)]
        sources = Sources(pages, files, citing.folder, fetch, replace(LIMITS, until=monotonic() + seconds))
        async for citation in check_citations(
            self.engine.for_documents(), citing, sources, date=date, progress=progress
        ):
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
        return self._submit(work).result()

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._closed:
            work.close()
            raise CheckerClosed("this FactChecker is closed; make another, or check before the end of its with block")
        return self._loop.submit(work)


def _engine(profile: str | Path | None, engine: Engine | None, settings: SettingKeywords) -> Engine:
    """The engine that was given, or that of a profile with some settings changed."""
    if not isinstance(profile, str | Path | None):
        raise SettingsError(f"profile: expected a name, or the path of a TOML file, got {shown(profile)}")
    if not isinstance(engine, Engine | None):
        raise SettingsError(f"engine: expected an Engine, got {shown(engine)}")
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
    """A claim as such; of several, one without an id gets its place."""
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


def _path(store: Path | str) -> Path:
    if not isinstance(store, str | Path):
        raise DocumentsError(
            f"store: expected the path of a knowledge store, or of a folder of them; got {shown(store)}"
        )
    return Path(store)
