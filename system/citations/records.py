"""A citation, what its source says of it, and all those of a text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from knowledge_store.pages.page import counted
from system.article.records import Article, Sentence
from system.graph.records import NOTHING_FOUND, ClaimResult, Label, Record

SCHEMA = 2
"""Version of the JSON that ``to_dict`` gives."""


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
DECIDED = {
    Label.SUPPORTED: Outcome.SUPPORTED,
    Label.REFUTED: Outcome.CONTRADICTED,
    Label.CONFLICTING: Outcome.CONTRADICTED,
}


class Citation(Record):
    """A sentence with one of the sources that it cites.

    Attributes:
        number: of the citation in its text, from 0.
        sentence: with the statement that is checked.
        mark: how the text cites: the words of a link, or "[1]".
        target: the address, else the words of the reference.
    """

    number: int
    sentence: Sentence
    mark: str
    target: str


class CitingText(Record):
    """A text without its marks, with its citations.

    Attributes:
        unresolved: marks that lead to no reference.
        folder: where the text lies, for its relative links; None if it is no file.
    """

    article: Article
    citations: tuple[Citation, ...]
    unresolved: tuple[str, ...] = ()
    folder: Path | None = None


SHOWN = 5  # marks without a reference that are named


def described(unresolved: Sequence[str]) -> str:
    """Name marks that lead to no reference; empty if there are none.

    >>> described(["[3]", "(Smith, 2001)"])
    '2 marks without a reference: [3], (Smith, 2001)'
    """
    named = ", ".join([*unresolved[:SHOWN], *(["…"] if len(unresolved) > SHOWN else [])])
    return f"{counted(len(unresolved), 'mark')} without a reference: {named}" if unresolved else ""


class CheckedCitation(Record):
    """A citation that was checked.

    Attributes:
        source: the file or address that was read; empty if none was.
        reason: why the source could not be read.
        unanswered: whether it is an address from which nothing came.
        result: of the check against the source alone; None if it could not be read.
        elsewhere: of the check against all sources, if another one supports the statement.
    """

    citation: Citation
    source: str
    reason: str = ""
    unanswered: bool = False
    result: ClaimResult | None = None
    elsewhere: ClaimResult | None = None

    @property
    def outcome(self) -> Outcome:
        """What the source says of the sentence; a check that failed counts as a source that cannot be read."""
        if self.result is None or self.result.failed:
            return Outcome.UNANSWERED if self.unanswered else Outcome.UNREADABLE
        if self.result.verdict.label in DECIDED:
            return DECIDED[self.result.verdict.label]
        if self.elsewhere:
            return Outcome.ELSEWHERE
        return Outcome.ABSENT if self.result.verdict.justification.startswith(NOTHING_FOUND) else Outcome.UNDECIDED

    @property
    def why(self) -> str:
        """The reason in words, with a quotation if the source decides."""
        found = self.result.verdict.justification if self.result else self.reason
        if self.elsewhere:
            return f"Another of your sources, {self.elsewhere.verdict.justification} In the one cited: {found}"
        return found

    def to_dict(self) -> dict[str, Any]:
        """The citation and what came of it, as plain values."""
        result, sentence = self.elsewhere or self.result, self.citation.sentence
        passages = {one.key: one for pair in result.pairs for one in pair.passages} if result else {}
        return {
            "number": self.citation.number,
            "sentence": sentence.text,
            "start": sentence.start,
            "end": sentence.end,
            "claim": sentence.claim,
            "context": sentence.context,
            "mark": self.citation.mark,
            "target": self.citation.target,
            "source": self.source,
            "outcome": str(self.outcome),
            "why": self.why,
            "passages": [{"address": one.url, "text": one.text} for one in passages.values()],
            "correction": result.correction.model_dump() if result and result.correction else None,
        }


class CheckedCitations(Record):
    """A text with its citations checked, in the order of the text; ``unresolved`` as in ``CitingText``."""

    article: Article
    citations: tuple[CheckedCitation, ...]
    unresolved: tuple[str, ...] = ()

    @classmethod
    def of(cls, article: Article, citations: Iterable[CheckedCitation], unresolved: Sequence[str] = ()) -> Self:
        """Put citations that came in any order into that of the text."""
        ordered = sorted(citations, key=lambda one: one.citation.number)
        return cls(article=article, citations=tuple(ordered), unresolved=tuple(unresolved))

    @property
    def counts(self) -> dict[Outcome, int]:
        """How many citations have each outcome."""
        found = Counter(one.outcome for one in self.citations)
        return {outcome: found[outcome] for outcome in Outcome}

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "schema": SCHEMA,
            "name": self.article.name,
            "counts": {str(outcome): count for outcome, count in self.counts.items()},
            "unresolved": list(self.unresolved),
            "text": self.article.text,
            "citations": [one.to_dict() for one in self.citations],
        }
