"""A text and what is found of it: its sentences, the statements among them, and their verdicts."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Self

from knowledge_store.pages.page import counted
from system.graph.records import Claim, ClaimResult, Label, Record

SCHEMA = 3  # of the JSON that ``to_dict`` gives; raised when a field changes its meaning or goes


class Kind(StrEnum):
    """The kind of a sentence; only claims are checked."""

    CLAIM = "claim"
    QUESTION = "question"
    OPINION = "opinion"
    HEADING = "heading"
    FRAGMENT = "fragment"
    TOO_LONG = "too long"


class Sentence(Record):
    """A sentence of a text, ``text[start:end]``."""

    number: int  #: of the sentence in its text, from 0
    start: int
    end: int
    text: str
    kind: Kind
    claim: str = ""  #: what is checked, the sentence on one line; empty if it is not a claim
    context: str = ""  #: the sentences before it, if the claim cannot be understood without them

    def as_claim(self, origin: Claim, number: int) -> Claim:
        """The sentence as a claim with an id, and date and speaker of another."""
        return origin.model_copy(update={"id": number, "text": self.claim, "context": self.context})


class Article(Record):
    """A text, cut into sentences; between them is only whitespace."""

    name: str
    text: str
    language: str  #: ISO 639-1 code
    blocks: tuple[tuple[int, int], ...]  #: where each paragraph, heading or row begins and ends, between blank lines
    sentences: tuple[Sentence, ...]

    @property
    def claims(self) -> tuple[Sentence, ...]:
        """The sentences that are checked."""
        return tuple(one for one in self.sentences if one.kind is Kind.CLAIM)


class CheckedStatement(Record):
    """A statement of a text that was checked."""

    sentence: Sentence
    result: ClaimResult

    @property
    def label(self) -> Label:
        """The verdict's label."""
        return self.result.verdict.label

    def to_dict(self) -> dict[str, Any]:
        """Sentence, verdict and evidence as plain values."""
        answer = {name: value for name, value in self.result.to_dict().items() if name != "schema"}
        return answer | self.sentence.model_dump(mode="json")


class CheckedText(Record):
    """A text with the statements that were checked, in the order of the text."""

    article: Article
    statements: tuple[CheckedStatement, ...]

    @classmethod
    def of(cls, article: Article, statements: Iterable[CheckedStatement]) -> Self:
        """Put statements that came in any order into that of the text."""
        return cls(article=article, statements=tuple(sorted(statements, key=lambda one: one.sentence.number)))

    @property
    def counts(self) -> dict[Label, int]:
        """How many statements have each label."""
        found = [one.label for one in self.statements]
        return {label: found.count(label) for label in Label}

    @property
    def decided(self) -> int:
        """How many statements have evidence that says something of them."""
        return len(self.statements) - self.counts[Label.NOT_ENOUGH_EVIDENCE]

    @property
    def headline(self) -> str:
        """How many statements are decided, and how."""
        named = {"supported": Label.SUPPORTED, "refuted": Label.REFUTED, "conflicting": Label.CONFLICTING}
        how = ", ".join(f"{self.counts[label]} {name}" for name, label in named.items() if self.counts[label])
        return f"{self.decided} of {counted(len(self.statements), 'statement')} decided" + (f": {how}" if how else "")

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "schema": SCHEMA,
            "name": self.article.name,
            "language": self.article.language,
            "decided": self.decided,
            "counts": {str(label): count for label, count in self.counts.items()},
            "text": self.article.text,
            "sentences": [one.model_dump(mode="json") for one in self.article.sentences],
            "statements": [one.to_dict() for one in self.statements],
        }
