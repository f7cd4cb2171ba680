"""A citation, what its source says of it, and all those of a text."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from knowledge_store.pages.page import counted
from system.article.records import Article, Sentence
from system.graph.records import ClaimResult, Record

SCHEMA = 2  # of the JSON that ``to_dict`` gives


class Outcome(StrEnum):
    """What the source of a citation says of the sentence that cites it."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "could not decide"
    ELSEWHERE = "another source says it"
    ABSENT = "not in the source"
    UNREADABLE = "source not readable"
    UNANSWERED = "address does not answer"


UNREAD = (Outcome.UNREADABLE, Outcome.UNANSWERED)


class Citation(Record):
    """A sentence with one of the sources that it cites."""

    number: int  #: of the citation in its text, from 0
    sentence: Sentence
    mark: str  #: how the text cites, by the words of a link or by "[1]"
    target: str  #: the address, else the words of the reference


class CitingText(Record):
    """A text without its marks, with its citations."""

    article: Article
    citations: tuple[Citation, ...]
    unresolved: tuple[str, ...] = ()  #: marks that lead to no reference
    folder: Path | None = None  #: where the text lies, for its relative links; None if it is no file


class CheckedCitation(Record):
    """A citation that was checked."""

    citation: Citation
    source: str  #: the file or address that was read; empty if none was
    outcome: Outcome
    why: str  #: the reason in words, with a quotation if a source decides
    result: ClaimResult | None = None  #: of the check that decides; None if the source could not be read
    warnings: tuple[str, ...] = ()  #: what was left out of all sources; every citation has the same

    def to_dict(self) -> dict[str, Any]:
        """The citation and what came of it, as plain values."""
        pairs, correction = (self.result.pairs, self.result.correction) if self.result else ((), None)
        passages = {one.key: {"address": one.url, "text": one.text} for pair in pairs for one in pair.passages}
        return {
            **self.citation.model_dump(include={"number", "mark", "target"}),
            "sentence": self.citation.sentence.text,
            **self.citation.sentence.model_dump(include={"start", "end", "claim", "context"}),
            **self.model_dump(mode="json", include={"source", "outcome", "why"}),
            "passages": [*passages.values()],
            "correction": correction.model_dump() if correction else None,
        }


class CheckedCitations(Record):
    """A text with its citations checked, in the order of the text."""

    article: Article
    citations: tuple[CheckedCitation, ...]
    unresolved: tuple[str, ...] = ()  #: see ``CitingText``
    warnings: tuple[str, ...] = ()  #: see ``CheckedCitation``

    @classmethod
    def of(cls, article: Article, citations: Iterable[CheckedCitation], unresolved: Sequence[str] = ()) -> Self:
        """Put citations that came in any order into that of the text."""
        ordered = sorted(citations, key=lambda one: one.citation.number)
        warnings = ordered[0].warnings if ordered else ()
        return cls(article=article, citations=tuple(ordered), unresolved=tuple(unresolved), warnings=warnings)

    @property
    def counts(self) -> dict[Outcome, int]:
        """How many citations have each outcome."""
        return {outcome: sum(one.outcome is outcome for one in self.citations) for outcome in Outcome}

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "schema": SCHEMA,
            "name": self.article.name,
            "counts": {str(outcome): count for outcome, count in self.counts.items()},
            **self.model_dump(mode="json", include={"unresolved", "warnings"}),
            "text": self.article.text,
            "citations": [one.to_dict() for one in self.citations],
        }


def described(unresolved: Sequence[str]) -> str:
    """Count marks that lead to no reference, and name the first of them; empty if there are none."""
    marks = ", ".join(unresolved[:5])
    return f"{counted(len(unresolved), 'mark')} without a reference: {marks}" if unresolved else ""
