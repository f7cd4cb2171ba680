"""The engine as a library: a claim and what to search in; verdict, evidence and graph out.

The methods block; beside each stands its asynchronous form, whose name begins with ``a``. Use one form or the other
with a checker: a model may belong to the event loop that first used it. Logging goes to the logger ``system``.
"""

import asyncio
import queue
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from tqdm import tqdm

from knowledge_store.pages.documents import DocumentsError, read_documents, sentences_of
from knowledge_store.pages.page import Flaws, Page, describe
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.settings import RetrievalSettings
from system.check import Engine, check, load_engine, unread_parts
from system.claims import ClaimsError
from system.graph import Graph, Listener, unheard
from system.loop_thread import LoopThread
from system.machine import choose_profile
from system.records import Claim, ClaimResult, Content, QuestionAnswer, Verdict
from system.runner.ranking_pool import store_file
from system.settings import load
from system.thoughts import Thought

T = TypeVar("T")
Documents = Path | str | Sequence[Path | str] | Mapping[str, str]
"""Files, folders or a knowledge store (see ``read_documents``), or texts by their names."""


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
    def verdict(self) -> Verdict:
        """Label, justification and confidence."""
        return self.result.verdict

    @property
    def evidence(self) -> tuple[QuestionAnswer, ...]:
        """Questions with their answers and passages, those that carry the verdict first."""
        return self.result.pairs


class FactChecker:
    """Checks claims; the models are loaded once, here. A context manager that frees them.

    Args:
        profile: name of a profile or path of a TOML file; the default is what this machine has.
        engine: one that is loaded already, in place of a profile and settings.
        settings: by the same names as in profiles and flags: ``depth=2, budget=30.0, strategy="got"``.

    Raises:
        SettingsError: no such profile or setting, or a value out of its range.
        EncoderUnavailable, ModelUnavailable: what the profile asks for cannot be loaded.
    """

    def __init__(self, profile: str | None = None, *, engine: Engine | None = None, **settings: Any) -> None:
        self.engine = engine or load_engine(load(profile or choose_profile(settings)[0], settings))
        self._loop = LoopThread("fact checker")  # so that the blocking form works where a loop is running: in notebooks

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the models."""
        self._wait(self.engine.model.close())
        self._loop.close()

    def check(self, claim: Claim | str, documents: Documents) -> Checked:
        """Check one claim.

        Raises:
            ClaimsError: the claim is empty.
            DocumentsError: nothing could be read.
        """
        return self._wait(self.acheck(claim, documents))

    async def acheck(self, claim: Claim | str, documents: Documents, *, listener: Listener = unheard) -> Checked:
        """See ``check``; the listener is told of each thought as it is added."""
        claim = _claim(claim)
        ranked = await asyncio.to_thread(rank_documents, documents, claim, self.engine.settings.retrieval)
        return Checked(*await check(self.engine.for_documents(), claim, ranked, listener=listener))

    def check_many(self, claims: Iterable[Claim | str], store: Path | str, *, progress: bool = False) -> list[Checked]:
        """Check many claims, several at a time.

        Args:
            store: folder with ``<claim id>.json``, or one file for all; claims that are texts have their place as id.
            progress: show a progress bar on standard error.

        Returns:
            One for each claim, in their order; a store that cannot be read is a failure of its claim.

        Raises:
            ClaimsError: a claim is empty.
        """
        return self._wait(self.acheck_many(claims, store, progress=progress))

    async def acheck_many(
        self, claims: Iterable[Claim | str], store: Path | str, *, progress: bool = False
    ) -> list[Checked]:
        """See ``check_many``."""
        wanted = [_claim(claim, number) for number, claim in enumerate(claims)]
        places = asyncio.Semaphore(self.engine.settings.run.max_concurrent_claims)
        with tqdm(total=len(wanted), unit="claim", disable=not progress) as bar:

            async def one(claim: Claim) -> Checked:
                async with places:
                    checked = await self._in_store(claim, store_file(Path(store), claim))
                bar.update()
                return checked

            return list(await asyncio.gather(*map(one, wanted)))

    def thoughts(self, claim: Claim | str, documents: Documents) -> Iterator[Thought[Content]]:
        """Yield the thoughts of a check as they are made; the verdict is the last.

        Raises:
            DocumentsError: nothing could be read.
        """
        heard: queue.SimpleQueue[Thought[Content] | None] = queue.SimpleQueue()
        running = self._loop.submit(self.acheck(claim, documents, listener=heard.put))
        running.add_done_callback(lambda _: heard.put(None))
        try:
            yield from iter(heard.get, None)
            running.result()
        finally:
            running.cancel()

    async def athoughts(self, claim: Claim | str, documents: Documents) -> AsyncIterator[Thought[Content]]:
        """See ``thoughts``."""
        heard: asyncio.Queue[Thought[Content] | None] = asyncio.Queue()
        running = asyncio.create_task(self.acheck(claim, documents, listener=heard.put_nowait))
        running.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while (thought := await heard.get()) is not None:
                yield thought
            await running
        finally:
            running.cancel()

    async def _in_store(self, claim: Claim, file: Path) -> Checked:
        ranked = await asyncio.to_thread(rank, file, claim.text, self.engine.settings.retrieval, claim.day)
        return Checked(*await check(self.engine, claim, ranked, unread_parts(file, ranked)))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.submit(work).result()


def rank_documents(
    documents: Documents, claim: Claim, settings: RetrievalSettings, *, fetch: bool = False
) -> RankedStore:
    """The passages of documents that BM25 ranks highest for a claim.

    Args:
        documents: may be empty where the settings say where else to search.
        fetch: whether documents that are addresses are fetched.

    Raises:
        DocumentsError: nothing could be read.
    """
    flaws = Flaws()
    if isinstance(documents, Mapping):
        pages, name = _pages(documents), "documents"
    else:
        sources = [documents] if isinstance(documents, str | Path) else list(documents)
        pages = read_documents(sources, flaws, fetch=fetch) if sources else iter(())
        name = ", ".join(map(str, sources)) or settings.search
    ranked = rank(pages, claim.text, settings, claim.day, flaws=flaws, name=name)
    if not (ranked.report.pages or settings.search):
        raise DocumentsError(f"{name}: expected text to search, got none{describe(flaws)}; give documents with text")
    return ranked


def _pages(texts: Mapping[str, str]) -> Iterator[Page]:
    for number, (name, text) in enumerate(texts.items()):
        if sentences := sentences_of(text):
            yield Page(number, name, sentences)


def _claim(claim: Claim | str, number: int = 0) -> Claim:
    if isinstance(claim, str) and not claim.strip():
        raise ClaimsError(f"claim {number}: expected a statement to check, got an empty text")
    return Claim(id=number, text=claim) if isinstance(claim, str) else claim
