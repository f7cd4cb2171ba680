"""What jobs do with a ``FactChecker``: check a claim, a text or its citations.

They run on the checker's own event loop, so that a model that computes blocks no client. What clients read of failures
is their cause; the log has the particulars.

    checked = await check_claim(claim, partial(uploaded, documents), checker, print, budget=60.0)
"""

import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, TypeVar

from knowledge_store.isolation import Limits
from knowledge_store.pages.documents import DocumentsError, page_of_text, pages_of_file
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from system.api import FactChecker
from system.app.service.schema import TEXT, UploadedDocument
from system.article.reading import read_file, read_text
from system.article.records import Article, CheckedStatement, CheckedText
from system.checker import Checked
from system.citations.marks import checkable, citing_of
from system.citations.records import CheckedCitation, CheckedCitations
from system.collection import Collection, PageCollection
from system.documents import Documents
from system.graph.records import Claim, ClaimResult, Content, Failure
from system.graph.thoughts import Thought
from system.settings import Settings
from system.threads import in_own_thread

R = TypeVar("R", CheckedStatement, CheckedCitation)
Hear = Callable[[Any], object]

log = logging.getLogger(__name__)


async def check_claim(
    claim: Claim,
    collect: Callable[[Settings], Collection],
    checker: FactChecker,
    hear: Hear,
    *,
    budget: float | None = None,
) -> Checked:
    """Check a claim; ``hear`` is called for each thought.

    Args:
        collect: makes what it is checked against, with the settings of the check.
        budget: seconds; by default that of the settings.

    Raises:
        DocumentsError: there is no text to search.
    """

    def listener(thought: Thought[Content]) -> None:
        content = thought.content
        public = _public(content) if isinstance(content, Failure) else content
        hear(thought.model_copy(update={"content": public}))

    settings = checker.engine.within(budget).settings
    checked = await checker.acheck(claim, collect(settings), listener=listener, budget=budget)
    return replace(checked, result=_public_result(checked.result))


async def check_text(
    read: Callable[[], Article],
    collect: Callable[[Settings], PageCollection],
    checker: FactChecker,
    hear: Hear,
    *,
    date: str = "",
    speaker: str = "",
) -> CheckedText:
    """Read a text in a thread, and check its statements; ``hear`` is called for the text, then for each that is done.

    Raises:
        DocumentsError: the text cannot be read, or there is no text to search.
    """
    article = await in_own_thread(read)
    hear(article)
    checking = checker.acheck_text(article, collect(checker.engine.settings), date=date, speaker=speaker)
    return CheckedText.of(article, await _heard(checking, hear))


async def check_citations(
    text: str, documents: Documents, checker: FactChecker, hear: Hear, *, fetch: bool = False, date: str = ""
) -> CheckedCitations:
    """Check the citations of a text in Markdown; ``hear`` is called for all of them, then for each that is done.

    Raises:
        DocumentsError: the text cites nothing, or the documents cannot be read.
    """
    citing = checkable(await in_own_thread(partial(citing_of, text)))
    hear(citing)
    found = await _heard(checker.acheck_citations(citing, documents, fetch=fetch, date=date), hear)
    return CheckedCitations.of(citing.article, found, citing.unresolved)


async def _heard(items: AsyncGenerator[R, None], hear: Hear) -> list[R]:
    """Return the items with only what is public of their results; hear each as it is done."""
    found: list[R] = []
    async with aclosing(items):
        async for one in items:
            found.append(one.model_copy(update={"result": one.result and _public_result(one.result)}))
            hear(found[-1])
    return found


def _public_result(result: ClaimResult) -> ClaimResult:
    return result.model_copy(update={"failures": tuple(map(_public, result.failures))})


def _public(failure: Failure) -> Failure:
    """Return a failure with only its cause; if it has no cause, its message is for clients.

    A message can hold what only the operator should see: paths, addresses of model servers, keys in them.
    """
    log.warning("%s: %s", failure.operation, failure.message)
    if not failure.cause:
        return failure
    return failure.model_copy(update={"message": f"{failure.cause}; the service's log has the details"})


def stores_of(folder: Path | None) -> dict[str, Path]:
    """Return the files ``NAME.json`` of a folder by their names, as they are now; none without a folder.

    A name that a client sends is looked up here. No path is made of it, so it can lead nowhere else.
    """
    files = folder.glob("[!.]*.json") if folder else ()
    return {file.stem: file for file in sorted(files) if file.is_file()}


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
    return PageCollection(partial(_pages, documents), settings, seconds=settings.run.reading)


def _pages(documents: Iterable[UploadedDocument], flaws: Flaws, limits: Limits) -> Iterator[Page]:
    """Yield the documents as pages, each with a number of its own."""
    number = 0
    for place, document in enumerate(documents, start=1):
        name = document.name or f"document {place}"
        if document.file:
            found = pages_of_file(name, document.file, _suffix(name), flaws, limits)
        else:
            found = page_of_text(0, name, document.text, flaws, limits)
        for page in found:
            yield replace(page, number=number)
            number += 1


def _suffix(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return suffix if suffix in SUFFIXES else ""
