"""Check the statements of a text, several at a time, against one collection that is read and counted once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import aclosing
from functools import partial
from pathlib import Path

from knowledge_store.library import Library
from knowledge_store.pages.documents import DocumentsError
from knowledge_store.pages.page import Flaws, Page, describe, normalized
from knowledge_store.progress import progress_bar
from knowledge_store.ranking import RankedStore
from system.article.records import Article, CheckedStatement
from system.check import Engine
from system.correction.correcting import with_correction
from system.graph.records import Claim, ClaimResult
from system.models.loop_thread import in_own_thread
from system.runner.checking import PooledChecks, check_all
from system.runner.ranking_pool import rank_of_search

Ranking = Callable[[Claim], RankedStore]
LARGE = 500  # characters of a page from which it is a part of the text, and no quotation of it


async def check_article(
    engine: Engine,
    article: Article,
    pages: Iterable[Page],
    *,
    name: str = "pages",
    flaws: Flaws | None = None,
    date: str = "",
    speaker: str = "",
    done: Collection[CheckedStatement] = (),
    progress: bool = False,
) -> AsyncIterator[CheckedStatement]:
    """Check the statements of a text, and yield each as it is done; first those that were checked before.

    Whatever becomes of a statement is a result. A page that is the text itself proves nothing and is left out. Closing
    the iterator ends what is under way.

    Args:
        pages: the evidence; what the settings search for is added.
        name: of the pages, in messages.
        flaws: what reading the pages finds wrong.
        date: of the text, as in ``Claim``.
        speaker: of the text.
        done: what an earlier check of this text has finished.
        progress: show on standard error how far it is.

    Raises:
        DocumentsError: there is no text to search.
    """
    flaws = Flaws() if flaws is None else flaws
    known = {(one.sentence.number, one.sentence.text): one for one in done}
    finished = [known[key] for one in article.claims if (key := (one.number, one.text)) in known]
    sentences = [one for one in article.claims if (one.number, one.text) not in known]
    origin = Claim("a statement", date=date, speaker=speaker)
    claims = [one.as_claim(origin) for one in sentences]
    for statement in finished:
        yield statement
    if not claims:
        return
    settings, texts = engine.settings.retrieval, [claim.query for claim in claims]
    read = partial(
        Library, _others(pages, article), texts, settings, claims[0].day,
        flaws=flaws, name=name, progress=progress, seconds=engine.settings.run.reading,
    )  # fmt: skip
    library = await in_own_thread(read)
    if not (library.report.pages or settings.search):
        raise DocumentsError(
            f"{name or 'documents'}: expected text to search, got none{describe(flaws)}; give documents with text"
        )
    with progress_bar(
        total=len(known) + len(claims), initial=len(known), unit="statement", disable=not progress
    ) as bar:
        async with aclosing(as_done(engine, claims, lambda claim: library.rank(claim.query))) as results:
            by_number = {one.number: one for one in sentences}
            async for result in results:
                bar.update()
                yield CheckedStatement(sentence=by_number[result.claim.id], result=result)


async def as_done(engine: Engine, claims: Iterable[Claim], rank: Ranking) -> AsyncGenerator[ClaimResult, None]:
    """Check claims together, and yield each result, with its correction, as it is there.

    Args:
        rank: the passages for a claim; where its search fails, the claim has none, and a failure.
    """
    checks = PooledChecks(engine, partial(rank_of_search, rank))
    async with aclosing(check_all(checks, claims)) as checked:
        async for result, _ in checked:
            yield await asyncio.to_thread(with_correction, result, engine.reader.verifier)


def _others(pages: Iterable[Page], article: Article) -> Iterator[Page]:
    """The pages, but for copies of the text, or of large parts of it."""
    own = normalized(article.text)
    for page in pages:
        text = normalized(page.text)
        if text != own and (len(text) < LARGE or text not in own):
            yield page


def stores_in(path: Path | str) -> list[Path]:
    """A knowledge store, or all that lie in a folder, in the order of their names.

    Raises:
        DocumentsError: there is none.
    """
    folder = Path(path)
    found = sorted(folder.glob("*.json*")) if folder.is_dir() else [folder]
    if not (found and found[0].is_file()):
        raise DocumentsError(
            f"{path}: expected a knowledge store (.json), or a folder of them; give files of other formats as documents"
        )
    return found
