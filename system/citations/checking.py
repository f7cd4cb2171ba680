"""Read the citations of a text, and check each sentence against the source that it cites alone."""

from bisect import bisect_left
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path

from knowledge_store.isolation import LIMITS, WorkFailed, isolated
from knowledge_store.library import Library
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from knowledge_store.pages.reading import read_blocks
from knowledge_store.progress import progress_bar
from system.article.checking import as_done
from system.article.reading import read_bytes, read_text
from system.article.records import Kind
from system.check import Engine
from system.citations.marks import Marked, MarkedText, read_marks
from system.citations.records import CheckedCitation, Citation, CitingText, described
from system.citations.sources import Source, Sources
from system.graph.records import Claim, shown
from system.models.loop_thread import in_own_thread

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
    engine: Engine, citing: CitingText, sources: Sources, *, date: str = "", progress: bool = False
) -> AsyncIterator[CheckedCitation]:
    """Check each citation against its source, and yield it as it is done; first those whose source cannot be read.

    Args:
        date: of the text, as in ``Claim``.
        progress: show on standard error how far it is.
    """
    with progress_bar(total=len(citing.citations), unit="citation", disable=not progress) as bar:
        found: dict[int, tuple[Citation, Source]] = {}
        for citation in citing.citations:
            source = await in_own_thread(partial(sources.find, citation.target))
            if source.pages:
                found[citation.number] = citation, source
            else:
                bar.update()
                yield CheckedCitation(citation=citation, source="", reason=source.reason)
        shelves = await in_own_thread(partial(_shelves, engine, list(found.values())))
        dated = Claim("a statement", date=date)
        claims = [one.sentence.as_claim(dated).model_copy(update={"id": number}) for number, (one, _) in found.items()]
        async with aclosing(as_done(engine, claims, lambda claim: shelves[claim.id].rank(claim.query))) as results:
            async for result in results:
                citation, source = found[result.claim.id]
                bar.update()
                yield CheckedCitation(citation=citation, source=source.name, result=result)


def _shelves(engine: Engine, found: Collection[tuple[Citation, Source]]) -> dict[int, Library]:
    """A library of each source, by the numbers of the citations that cite it."""
    settings = engine.settings.retrieval.model_copy(update={"search": ""})  # the source alone decides
    by_name: dict[str, list[Citation]] = {}
    for citation, source in found:
        by_name.setdefault(source.name, []).append(citation)
    pages = {source.name: source.pages for _, source in found}
    shelves = {
        name: Library(pages[name], [one.sentence.query for one in citations], settings, name=name)
        for name, citations in by_name.items()
    }
    return {one.number: shelves[name] for name, citations in by_name.items() for one in citations}
