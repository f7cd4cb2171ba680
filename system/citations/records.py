"""A citation, what its source says of it, and all those of a text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from system.article.records import Article, Sentence, each_of
from system.graph.records import ClaimResult, Label, Record

SCHEMA = 1
"""Version of the JSON that ``to_dict`` gives."""


class Outcome(StrEnum):
    """A source's relation to the sentence that cites it."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    ABSENT = "not in the source"
    UNREADABLE = "source not readable"


OUTCOMES = {
    Label.SUPPORTED: Outcome.SUPPORTED,
    Label.REFUTED: Outcome.CONTRADICTED,
    Label.CONFLICTING: Outcome.CONTRADICTED,
    Label.NOT_ENOUGH_EVIDENCE: Outcome.ABSENT,
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
        folder: where the text lies, for its relative links; None where it lies nowhere.
    """

    article: Article
    citations: tuple[Citation, ...]
    unresolved: tuple[str, ...] = ()
    folder: Path | None = None


SHOWN = 5  # marks without a reference that are named


def described(unresolved: Sequence[str]) -> str:
    """Marks that lead to no reference, in words; empty where there are none.

    >>> described(["[3]", "(Smith, 2001)"])
    '2 marks without a reference: [3], (Smith, 2001)'
    """
    if not unresolved:
        return ""
    named = ", ".join([*unresolved[:SHOWN], *(["…"] if len(unresolved) > SHOWN else [])])
    return f"{len(unresolved)} mark{'' if len(unresolved) == 1 else 's'} without a reference: {named}"


class CheckedCitation(Record):
    """A citation that was checked.

    Attributes:
        source: what was read: a file, or an address; empty where nothing was.
        reason: why the source could not be read; empty where it was.
        result: what the check of the statement against the source alone found; None where it could not be read.
    """

    citation: Citation
    source: str
    reason: str = ""
    result: ClaimResult | None = None

    @property
    def outcome(self) -> Outcome:
        """The source's relation to the sentence; a check that failed reads as a source that cannot be read."""
        if self.result is None or any(failure.unanswered for failure in self.result.failures):
            return Outcome.UNREADABLE
        return OUTCOMES[self.result.verdict.label]

    @property
    def why(self) -> str:
        """The reason in words, with a quotation where the source decides."""
        return self.result.verdict.justification if self.result else self.reason

    def to_dict(self) -> dict[str, Any]:
        """The citation and what came of it, as plain values."""
        result, sentence = self.result, self.citation.sentence
        passages = {one.key: one for pair in result.pairs for one in pair.passages} if result else {}
        return {
            "number": self.citation.number,
            "sentence": sentence.text,
            "start": sentence.start,
            "end": sentence.end,
            "claim": sentence.claim,
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
        """Put citations that came in any order into that of the text.

        Raises:
            DocumentsError: something else was given.
        """
        (article,) = each_of(Article, "article", [article])
        ordered = sorted(each_of(CheckedCitation, "citations", citations), key=lambda one: one.citation.number)
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
