"""Inputs and outputs of the tools; their JSON schemas are made from these."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from system.app.service.schema import DOCUMENTS, DocumentName
from system.citations.records import Outcome
from system.graph.records import Label

TEXT = 100_000  # characters of a text; 10,000 words have some 65,000
QUERY = 2000  # characters
HITS = 50  # passages of a search


@dataclass(frozen=True)
class Progress:
    """How far a tool is.

    Attributes:
        done: thoughts, statements or citations.
        total: how many there will be; None where nobody knows.
        doing: in words.
    """

    done: int
    total: int | None
    doing: str


class DocumentText(BaseModel):
    """A text to check against."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: DocumentName = ""
    text: str = Field(min_length=1, description="plain text or Markdown")


Documents = Annotated[
    tuple[DocumentText, ...],
    Field(
        max_length=DOCUMENTS,
        description="texts to check against, in place of what this server was started with; paths and addresses in "
        "them are never opened",
    ),
]
Text = Annotated[str, Field(min_length=1, max_length=TEXT, pattern=r"\S", description="plain text or Markdown")]
Query = Annotated[str, Field(min_length=1, max_length=QUERY, pattern=r"\S", description="a question, or words")]
Limit = Annotated[int, Field(ge=1, le=HITS, description="passages to return")]


class Passage(BaseModel):
    """Words of a source, verbatim."""

    address: str = Field(description="web address or name of the document")
    text: str


class Found(Passage):
    """A passage that answers a query."""

    score: float = Field(description="cosine to the query, at most 1")


class VerdictWithEvidence(BaseModel):
    """The evidence's verdict on a statement."""

    label: Label
    confidence: float = Field(description="from 0 to 1")
    justification: str = Field(description="why, with the words of the source that decide")
    corrected: str = Field(description="the statement as the source has it; empty where no one sentence refutes it")
    evidence: list[Passage] = Field(description="what the verdict was read from, the most important first")
    failures: list[str] = Field(description="what went wrong on the way; where there is some, distrust the label")


class CheckedClaim(VerdictWithEvidence):
    """A claim that was checked."""

    seconds: float


class Statement(VerdictWithEvidence):
    """A statement of a text that was checked."""

    sentence: str = Field(description="verbatim")
    claim: str = Field(description="what was checked: the sentence on one line")
    context: str = Field(description="the sentences before it that it was read with; empty if it stands alone")


class TextReport(BaseModel):
    """A text, its statements checked; questions, opinions and headings are left out."""

    counts: dict[Label, int]
    score: float | None = Field(description="share of the decided statements that are supported; null without such")
    statements: list[Statement]


class CitedSentence(BaseModel):
    """A sentence with a source that it cites."""

    sentence: str = Field(description="verbatim")
    claim: str = Field(description="what was checked: the sentence on one line")
    context: str = Field(description="the sentences before it that it was read with; empty if it stands alone")
    target: str = Field(description="the address or reference that is cited")
    source: str = Field(description="what was read; empty where nothing was")
    outcome: Outcome
    why: str
    evidence: list[Passage]
    corrected: str = Field(description="the sentence as the source has it; empty where no one sentence contradicts it")


class CitationsReport(BaseModel):
    """A text, its citations checked."""

    counts: dict[Outcome, int]
    citations: list[CitedSentence]
    unresolved: list[str] = Field(description="marks that lead to no reference, which nothing was checked for")


class SearchResult(BaseModel):
    """The passages that a query finds, best first."""

    passages: list[Found]
