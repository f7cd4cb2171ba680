"""Check each sentence of a text against the source that it cites alone.

A sentence that its source does not decide, or whose source cannot be read, is checked once more against all sources.
"""

from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import unquote

from knowledge_store.isolation import LATE, LIMITS, Limits
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import PLACE, Flaws, Page
from system.checker import Checked, Checker
from system.citations.records import CheckedCitation, CitingText, Outcome
from system.collection import EachItsOwn, PageCollection, hearing
from system.documents import Listed, meant, pages_of
from system.graph.records import NOTHING_FOUND, Claim, ClaimResult, Label
from system.threads import in_own_thread

LONGEST = 256  # bytes of the name of a file
Named = dict[str, tuple[Page, ...]]  # pages by the name or address of their document


class Source(NamedTuple):
    """The name of a source and its pages, or why there are none."""

    name: str = ""
    pages: tuple[Page, ...] = ()
    why: str = ""
    outcome: Outcome = Outcome.UNREADABLE


async def check_citations(
    checker: Checker, citing: CitingText, documents: Listed, *, fetch: bool, date: str = ""
) -> AsyncGenerator[CheckedCitation, None]:
    """Check each citation against its source, and yield it as it is done; see ``FactChecker.check_citations``.

    First come those that their source decides, then the others, which another source may support.
    """
    checker = checker.for_statements()
    dated, settings = Claim("a statement", date=date), checker.engine.settings
    limits = replace(LIMITS, until=monotonic() + settings.run.reading * max(1, len(citing.citations)))  # read together
    heard: list[str] = []
    pages, sources = await in_own_thread(partial(hearing, heard, partial(_read, citing, documents, limits, fetch)))
    made = partial(CheckedCitation, warnings=tuple(heard))
    undecided = dict[int, CheckedCitation]()
    for one in citing.citations:
        if not (source := sources[one.target]).pages:
            undecided[one.number] = made(citation=one, source="", outcome=source.outcome, why=source.why)
            if not pages:
                yield undecided.pop(one.number)
    cited = {one.number: one for one in citing.citations if sources[one.target].pages}
    retrieval = settings.retrieval.model_copy(update={"search": ""})  # which would add pages
    collect = partial(PageCollection, settings=settings.model_copy(update={"retrieval": retrieval}))
    alone = {name: collect(lambda *_, found=found: found, name=name) for name, found in pages.items()}
    own = EachItsOwn({number: alone[sources[one.target].name] for number, one in cited.items()})
    claims = {one.number: one.sentence.as_claim(dated, one.number) for one in citing.citations}
    async with aclosing(checker.check_many([claims[number] for number in cited], own)) as checks:
        async for checked in checks:
            citation = cited[checked.claim.id]
            result = made(citation=citation, source=sources[citation.target].name, **_said(checked.result))
            if result.outcome in (Outcome.UNDECIDED, Outcome.ABSENT) and len(pages) > 1:
                undecided[citation.number] = result
            else:
                yield result
    everything = collect(lambda *_: chain.from_iterable(pages.values()), name="sources")
    async with aclosing(checker.check_many([claims[number] for number in undecided], everything)) as checks:
        async for checked in checks:
            yield _elsewhere(undecided[checked.claim.id], checked)


def _read(citing: CitingText, documents: Listed, limits: Limits, fetch: bool) -> tuple[Named, dict[str, Source]]:
    """Return all pages by the name of their document or source, each with a number of its own; and the sources."""
    named: Named = defaultdict(tuple)
    for page in pages_of(documents, Flaws(), limits, fetch=fetch):
        named[PLACE.sub("", page.url)] += (page,)
    targets = dict.fromkeys(one.target for one in citing.citations)
    sources = {target: _find(target, named, citing.folder, limits, fetch) for target in targets}
    named |= {source.name: source.pages for source in sources.values() if source.pages}
    number = count()
    return {name: tuple(replace(one, number=next(number)) for one in found) for name, found in named.items()}, sources


def _find(target: str, documents: Named, beside: Path | None, limits: Limits, fetch: bool) -> Source:
    """Return the source for an address, or for the words of a reference."""
    names = meant(target, {name: pages[0].canonical for name, pages in documents.items()})
    if len(names) == 1:
        return Source(names[0], documents[names[0]])
    given, failed = target, Outcome.UNANSWERED
    if not target.startswith(("http://", "https://")):
        path = unquote(target.partition("#")[0])
        file = beside / path if beside and len(path.encode(errors="replace")) < LONGEST else None
        if not (file and file.suffix.lower() in SUFFIXES and file.is_file()):
            several = f"{len(names)} documents are named like {target!r:.80}: {', '.join(names)}"
            return Source(why=several if names else f"no document is named like {target!r:.80}; add it to --documents")
        given, failed = str(file), Outcome.UNREADABLE
    elif not fetch:
        return Source(why="no document has this address; --fetch reads it from the web")
    if not limits.left:
        return Source(why=f"{LATE} before it was read")
    try:
        return Source(target, tuple(read_documents([given], Flaws(), fetch=fetch, limits=limits)))
    except DocumentsError as error:
        return Source(why=str(error), outcome=failed)


def _said(result: ClaimResult) -> dict[str, Any]:
    """What a source alone says of its citation; a check that failed counts as a source that cannot be read."""
    label, why = result.verdict.label, result.verdict.justification
    undecided = Outcome.ABSENT if why.startswith(NOTHING_FOUND) else Outcome.UNDECIDED
    outcomes = {Label.SUPPORTED: Outcome.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE: undecided}
    outcome = Outcome.UNREADABLE if result.failed else outcomes.get(label, Outcome.CONTRADICTED)
    return {"outcome": outcome, "why": why, "result": result}


def _elsewhere(one: CheckedCitation, checked: Checked) -> CheckedCitation:
    """The citation with what all sources say, if another one than its own supports the statement."""
    said = next((PLACE.sub("", passage.url) for pair in checked.evidence for passage in pair.passages), "")
    if checked.verdict.label is not Label.SUPPORTED or said == one.source:
        return one
    why = f"Another of your sources, {checked.verdict.justification} In the one cited: {one.why}"
    return one.model_copy(update={"outcome": Outcome.ELSEWHERE, "why": why, "result": checked.result})
