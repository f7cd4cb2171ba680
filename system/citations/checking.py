"""Read the citations of a text, and check each sentence against the source that it cites alone.

A sentence that its source does not decide is checked once more against all sources, so that a wrong reference can be
told from an invented statement::

    citing = read_citing("article.md")
    async for one in check_citations(checker, citing, ["reports/"]):
        print(one.outcome, one.why)
"""

from bisect import bisect_left
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from knowledge_store.isolation import LIMITS, WorkFailed, isolated
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from knowledge_store.pages.page import PLACE, Page
from system.article.reading import read_bytes, read_text
from system.article.records import Kind
from system.checker import Checked, Checker
from system.citations.marks import read_marks
from system.citations.records import CheckedCitation, Citation, CitingText, Outcome, described
from system.citations.sources import Source, Sources
from system.collection import EachItsOwn, PageCollection
from system.documents import Document
from system.graph.records import NOTHING_FOUND, Claim, ClaimResult, Label
from system.models.loop_thread import in_own_thread

def read_citing(source: str | Path) -> CitingText:
    """Read a text with its citations from a file, or from standard input ("-").

    Raises:
        DocumentsError: there is no such file, it cannot be read, or it cites nothing.
    """
    name, data, suffix = read_bytes(source)
    citing = _citing(data, suffix, name)
    if not citing.citations:
        got = described(citing.unresolved) or "none in a statement"
        raise DocumentsError(f"{name}: expected links, footnotes or numbered references, got {got}")
    return citing if str(source) == STANDARD_INPUT else citing.model_copy(update={"folder": Path(source).parent})


def citing_of(text: str, name: str = "text") -> CitingText:
    """Read the citations of a text in Markdown.

    >>> [one.target for one in citing_of("The bridge opened in 1932.[^1]\\n\\n[^1]: https://a.example").citations]
    ['https://a.example']

    Raises:
        DocumentsError: it cannot be read within the limits of a document.
    """
    return _citing(text.encode(errors="replace"), ".md", name)


def _citing(data: bytes, suffix: str, name: str) -> CitingText:
    """Find the sentence of each mark; a mark after the end of a sentence belongs to it."""
    try:
        text, marks = isolated(LIMITS, read_marks, data, suffix, name, load=(read_marks.__module__, "mammoth"))
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    article = read_text(text, name)
    starts = [one.start for one in article.sentences]
    found: dict[tuple[int, str], Citation] = {}
    for mark in marks:
        number = bisect_left(starts, max(mark.at, 1)) - 1
        sentence = article.sentences[number] if number >= 0 and mark.at <= article.sentences[number].end else None
        if sentence and mark.target and sentence.kind is Kind.CLAIM:
            citation = Citation(number=len(found), sentence=sentence, mark=mark.words, target=mark.target)
            found.setdefault((sentence.number, mark.target), citation)
    unresolved = tuple(mark.words for mark in marks if not mark.target)
    return CitingText(article=article, citations=tuple(found.values()), unresolved=unresolved)


async def check_citations(
    checker: Checker, citing: CitingText, documents: Sequence[Path | str | Document], *, fetch: bool, date: str = ""
) -> AsyncGenerator[CheckedCitation, None]:
    """Check each citation against its source, and yield it as it is done.

    First come those whose source cannot be read, last those that their source does not decide.

    Args:
        fetch: whether addresses that no document has are fetched.
        date: of the text, as in ``Claim``.

    Raises:
        DocumentsError: the documents cannot be read.
    """
    checker = checker.for_statements()
    dated, reading = Claim("a statement", date=date), checker.engine.settings.run.reading
    seconds = reading * max(1, len(citing.citations))  # they read together
    sources = await in_own_thread(partial(Sources, documents, citing.folder, fetch=fetch, seconds=seconds))
    read: dict[str, Source] = {}
    found: dict[int, tuple[Citation, Source]] = {}
    for citation in citing.citations:
        if citation.target not in read:
            read[citation.target] = await in_own_thread(partial(sources.find, citation.target))
        source = read[citation.target]
        if source.pages:
            found[citation.number] = citation, source
        else:
            outcome = Outcome.UNANSWERED if source.unanswered else Outcome.UNREADABLE
            yield CheckedCitation(citation=citation, source="", outcome=outcome, why=source.reason)
    pages = sources.documents | {source.name: source.pages for _, source in found.values()}
    alone = {name: _alone(checker, pages[name], name) for name in {source.name for _, source in found.values()}}
    own = EachItsOwn({number: alone[source.name] for number, (_, source) in found.items()})
    claims = {number: citation.sentence.as_claim(dated, number) for number, (citation, _) in found.items()}
    undecided = dict[int, CheckedCitation]()
    async with aclosing(checker.check_many([*claims.values()], own)) as checks:
        async for checked in checks:
            citation, source = found[checked.claim.id]
            one = _as_checked(citation, source.name, checked.result)
            if one.outcome in (Outcome.UNDECIDED, Outcome.ABSENT) and len(pages) > 1:
                undecided[citation.number] = one
            else:
                yield one
    if undecided:
        every = [replace(page, number=number) for number, page in enumerate(chain.from_iterable(pages.values()))]
        everything = _alone(checker, every, "sources")
        async with aclosing(checker.check_many([claims[number] for number in undecided], everything)) as checks:
            async for checked in checks:
                yield _elsewhere(undecided[checked.claim.id], checked)


def _alone(checker: Checker, pages: Sequence[Page], name: str) -> PageCollection:
    """Return pages that decide alone: nothing is searched for."""
    settings = checker.engine.settings
    settings = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"search": ""})})
    return PageCollection(lambda *_: pages, settings, name=name, own=True)


def _as_checked(citation: Citation, source: str, result: ClaimResult) -> CheckedCitation:
    """The citation as its source alone decides; a check that failed counts as a source that cannot be read."""
    why = result.verdict.justification
    match result.verdict.label:
        case _ if result.failed:
            outcome = Outcome.UNREADABLE
        case Label.SUPPORTED:
            outcome = Outcome.SUPPORTED
        case Label.NOT_ENOUGH_EVIDENCE:
            outcome = Outcome.ABSENT if why.startswith(NOTHING_FOUND) else Outcome.UNDECIDED
        case _:
            outcome = Outcome.CONTRADICTED
    return CheckedCitation(citation=citation, source=source, outcome=outcome, why=why, result=result)


def _elsewhere(one: CheckedCitation, checked: Checked) -> CheckedCitation:
    """The citation with what all sources say, if another one than its own supports the statement."""
    said = next((PLACE.sub("", passage.url) for pair in checked.evidence for passage in pair.passages), "")
    if checked.verdict.label is not Label.SUPPORTED or said == one.source:
        return one
    why = f"Another of your sources, {checked.verdict.justification} In the one cited: {one.why}"
    return one.model_copy(update={"outcome": Outcome.ELSEWHERE, "why": why, "result": checked.result})
