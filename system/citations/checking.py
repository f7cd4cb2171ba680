"""Read the citations of a text, and check each sentence against the source that it cites alone.

A sentence that its source does not decide is checked once more against all sources, so that a wrong reference can be
told from an invented statement::

    citing = read_citing("article.md")
    async for one in check_citations(checker, citing, Sources(pages)):
        print(one.outcome, one.why)
"""

from bisect import bisect_left
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path

from knowledge_store.isolation import LIMITS, WorkFailed, isolated
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from knowledge_store.pages.page import Page
from knowledge_store.pages.reading import read_blocks
from system.article.reading import read_bytes, read_text
from system.article.records import Kind
from system.checker import Checked, Checker
from system.citations.marks import MARKUP, MarkedText, read_marks
from system.citations.records import CheckedCitation, Citation, CitingText, Outcome, described
from system.citations.sources import Source, Sources, name_of
from system.collection import EachItsOwn, PageCollection
from system.graph.records import Claim, Label, shown
from system.models.loop_thread import in_own_thread
from system.settings import Settings


def read_citing(source: str | Path) -> CitingText:
    """Read a text with its citations from a file, or from standard input ("-").

    Raises:
        DocumentsError: there is no such file, it cannot be read, or it cites nothing.
    """
    name, data, suffix = read_bytes(source)
    try:
        blocks = () if suffix in MARKUP else read_blocks(data, suffix, name)
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    citing = _citing(_marked(data, suffix, name, tuple(blocks)), name)
    if not citing.citations:
        got = described(citing.unresolved) or "none in a statement"
        raise DocumentsError(f"{name}: expected links, footnotes or numbered references, got {got}")
    return citing if str(source) == STANDARD_INPUT else citing.model_copy(update={"folder": Path(source).parent})


def citing_of(text: str, name: str = "text") -> CitingText:
    """Read the citations of a text in Markdown.

    >>> [one.target for one in citing_of("The bridge opened in 1932.[^1]\\n\\n[^1]: https://a.example").citations]
    ['https://a.example']

    Raises:
        DocumentsError: something else than a text was given, or it cannot be read within the limits of a document.
    """
    if not isinstance(text, str):
        raise DocumentsError(f"text: expected a text in Markdown, got {shown(text)}")
    return _citing(_marked(text.encode(errors="replace"), ".md", name, ()), name)


def _marked(data: bytes, suffix: str, name: str, blocks: tuple[str, ...]) -> MarkedText:
    """See ``read_marks``; in a worker."""
    load = ("system.citations.marks", "lxml.html", "mammoth")
    try:
        return isolated(LIMITS, read_marks, data, suffix, name, blocks, load=load)
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error


def _citing(marked: MarkedText, name: str) -> CitingText:
    """Find the sentence of each mark; a mark after the end of a sentence belongs to it."""
    article = read_text(marked.text, name)
    starts = [one.start for one in article.sentences]
    found: dict[tuple[int, str], Citation] = {}
    for mark in marked.marks:
        number = bisect_left(starts, max(mark.at, 1)) - 1
        sentence = article.sentences[number] if number >= 0 and mark.at <= article.sentences[number].end else None
        if sentence and mark.target and sentence.kind is Kind.CLAIM:
            citation = Citation(number=len(found), sentence=sentence, mark=mark.words, target=mark.target)
            found.setdefault((sentence.number, mark.target), citation)
    unresolved = tuple(mark.words for mark in marked.marks if not mark.target)
    return CitingText(article=article, citations=tuple(found.values()), unresolved=unresolved)


async def check_citations(
    checker: Checker, citing: CitingText, sources: Sources, *, date: str = ""
) -> AsyncGenerator[CheckedCitation, None]:
    """Check each citation against its source, and yield it as it is done.

    First come those whose source cannot be read, last those that their source does not decide.

    Args:
        date: of the text, as in ``Claim``.
    """
    checker = checker.for_statements()
    dated = Claim("a statement", date=date)
    found: dict[int, tuple[Claim, Citation, Source]] = {}
    for citation in citing.citations:
        source = await in_own_thread(partial(sources.find, citation.target))
        if source.pages:
            claim = citation.sentence.as_claim(dated).model_copy(update={"id": citation.number})
            found[citation.number] = claim, citation, source
        else:
            yield CheckedCitation(citation=citation, source="", reason=source.reason, unanswered=source.unanswered)
    alone = partial(_alone, checker.engine.settings)
    by_name = {source.name: alone(source.pages, source.name) for _, _, source in found.values()}
    own = EachItsOwn({number: by_name[source.name] for number, (_, _, source) in found.items()})
    undecided = dict[int, CheckedCitation]()
    async with aclosing(checker.check_many([claim for claim, _, _ in found.values()], own)) as checks:
        async for checked in checks:
            _, citation, source = found[checked.claim.id]
            one = CheckedCitation(citation=citation, source=source.name, result=checked.result)
            if one.outcome in (Outcome.UNDECIDED, Outcome.ABSENT) and len(sources.all()) > 1:
                undecided[citation.number] = one
            else:
                yield one
    if undecided:
        every = (page for pages in sources.all().values() for page in pages)
        everything = alone([replace(page, number=number) for number, page in enumerate(every)], "sources")
        claims = [found[number][0] for number in undecided]
        async with aclosing(checker.check_many(claims, everything)) as checks:
            async for checked in checks:
                one = undecided[checked.claim.id]
                yield one.model_copy(update={"elsewhere": checked.result}) if _another_says_it(checked, one) else one


def _alone(settings: Settings, pages: Sequence[Page], name: str) -> PageCollection:
    """Return pages that decide alone: nothing is searched for."""
    settings = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"search": ""})})
    return PageCollection(lambda *_: pages, settings, name=name, own=True)


def _another_says_it(checked: Checked, one: CheckedCitation) -> bool:
    said = next((name_of(passage.url) for pair in checked.evidence for passage in pair.passages), "")
    return checked.verdict.label is Label.SUPPORTED and said != one.source
