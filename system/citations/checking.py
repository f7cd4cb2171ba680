"""Read the citations of a text, and check each sentence against the source that it cites alone."""

from bisect import bisect_left
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path

from knowledge_store.isolation import LIMITS, WorkFailed, isolated
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from knowledge_store.pages.reading import read_blocks
from knowledge_store.progress import progress_bar
from system.article.reading import read_bytes, read_text
from system.article.records import Kind
from system.checker import Checker
from system.citations.marks import Marked, MarkedText, read_marks
from system.citations.records import CheckedCitation, Citation, CitingText, described
from system.citations.sources import Source, Sources
from system.collection import EachItsOwn, PageCollection
from system.graph.records import Claim, shown
from system.models.loop_thread import in_own_thread
from system.settings import Settings

_TEXTS = (".txt", ".md", ".markdown", ".html", ".htm")


def read_citing(source: str | Path) -> CitingText:
    """Read a text with its citations from a file, or from standard input ("-").

    Raises:
        DocumentsError: there is no such file, it cannot be read, or it cites nothing.
    """
    name, data, suffix = read_bytes(source)
    try:
        blocks = [] if suffix in _TEXTS else read_blocks(data, suffix, name)
        reading = _reading(data, suffix, name, blocks)
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    citing = _citing(reading.blocks, reading.notes, name)
    if not citing.citations:
        got = described(citing.unresolved) or "none in a statement"
        raise DocumentsError(f"{name}: expected links, footnotes or numbered references, got {got}")
    return citing if str(source) == STANDARD_INPUT else citing.model_copy(update={"folder": Path(source).parent})


def citing_of(text: str, name: str = "text") -> CitingText:
    """The citations of a text in Markdown.

    >>> [one.target for one in citing_of("The bridge opened in 1932.[^1]\\n\\n[^1]: https://a.example").citations]
    ['https://a.example']

    Raises:
        DocumentsError: something else than a text was given, or it cannot be read within the limits of a document.
    """
    if not isinstance(text, str):
        raise DocumentsError(f"text: expected a text in Markdown, got {shown(text)}")
    try:
        reading = _reading(text.encode(errors="replace"), ".md", name, ())
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    return _citing(reading.blocks, reading.notes, name)


def _reading(data: bytes, suffix: str, name: str, blocks: Sequence[str]) -> MarkedText:
    """See ``read_marks``; in a worker."""
    load = ("system.citations.marks", "lxml.html", "markdown_it", "mdit_py_plugins.footnote")
    return isolated(LIMITS, read_marks, data, suffix, name, blocks, load=load)


def _citing(blocks: Collection[Marked], notes: dict[str, str], name: str) -> CitingText:
    """The sentences of a text with what they cite; a mark after the end of a sentence belongs to it."""
    text, marks = "", list[tuple[int, str, str]]()
    for block in blocks:
        lead = len(block.text) - len(block.text.lstrip())
        text += "\n\n" if text else ""
        marks += [(len(text) + at - lead, mark, target) for at, mark, target in block.marks]
        text += " ".join(block.text.strip().split("\n\n"))
    article = read_text(text, name)
    starts = [one.start for one in article.sentences]
    found: dict[tuple[int, str], Citation] = {}
    unresolved: list[str] = []
    for at, mark, target in marks:
        number = bisect_left(starts, max(at, 1)) - 1
        sentence = article.sentences[number] if number >= 0 and at <= article.sentences[number].end else None
        cited = notes.get(target.removeprefix("note:"), "") if target.startswith("note:") else target
        if sentence and cited and sentence.kind is Kind.CLAIM:
            citation = Citation(number=len(found), sentence=sentence, mark=mark, target=cited)
            found.setdefault((sentence.number, cited), citation)
        elif not cited:
            unresolved.append(mark)
    return CitingText(article=article, citations=tuple(found.values()), unresolved=tuple(unresolved))


async def check_citations(
    checker: Checker, citing: CitingText, sources: Sources, *, date: str = "", progress: bool = False
) -> AsyncGenerator[CheckedCitation, None]:
    """Check each citation against its source, and yield it as it is done; first those whose source cannot be read.

    Args:
        date: of the text, as in ``Claim``.
        progress: show a progress bar on standard error.
    """
    checker = checker.for_statements()
    with progress_bar(total=len(citing.citations), unit="citation", disable=not progress) as bar:
        found: dict[int, tuple[Citation, Source]] = {}
        for citation in citing.citations:
            source = await in_own_thread(partial(sources.find, citation.target))
            if source.pages:
                found[citation.number] = citation, source
            else:
                bar.update()
                yield CheckedCitation(citation=citation, source="", reason=source.reason)
        dated = Claim("a statement", date=date)
        claims = [one.sentence.as_claim(dated).model_copy(update={"id": number}) for number, (one, _) in found.items()]
        async with aclosing(checker.check_many(claims, _of_sources(checker.engine.settings, found))) as checks:
            async for checked in checks:
                citation, source = found[checked.claim.id]
                bar.update()
                yield CheckedCitation(citation=citation, source=source.name, result=checked.result)


def _of_sources(settings: Settings, found: Mapping[int, tuple[Citation, Source]]) -> EachItsOwn:
    """The source of each citation alone; it decides, and nothing is searched for."""
    settings = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"search": ""})})
    by_name = {
        source.name: PageCollection(lambda *_, pages=source.pages: pages, settings, name=source.name)
        for _, source in found.values()
    }
    return EachItsOwn({number: by_name[source.name] for number, (_, source) in found.items()})
