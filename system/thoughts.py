"""The vertices of the graph (the paper's figure 2), and what they hold: questions, evidence, what agents say."""

from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import model_validator

from knowledge_store.pages.page import Passage
from system.records import CONTENTS, Content, Cost, Label, Record


class Speaker(StrEnum):
    """Who speaks, by the role's name in its paper."""

    AFFIRMATIVE = "affirmative"
    NEGATIVE = "negative"
    CONSULTANT = "consultant"
    JUDGE = "judge"
    INSTRUCTOR = "instructor"
    ASSISTANT = "assistant"


SIDES = (Speaker.AFFIRMATIVE, Speaker.NEGATIVE)  # in the order in which they speak


class Argument(Content):
    """One contribution to a debate, a consultancy or a conversation.

    Attributes:
        round: counted from 1.
        passages: what it cites, content and address; the speaker names passages by number and cannot make one up.
    """

    kind = "argument"
    letter = "d"

    speaker: Speaker
    round: int
    text: str
    passages: tuple[Passage, ...]


class Ruling(Content):
    """What the moderator says after a round (DebateCV, appendix B.2).

    Attributes:
        insight: what the round brought that is new.
        gaps: evidence or arguments that either side lacks.
        reason: why the debate continues, or the justification of the verdict.
        decision: the verdict; None while the debate continues.
        confidence: probability of the decision in [0, 1], as far as the model can tell.
    """

    kind = "ruling"
    letter = "r"

    round: int
    insight: str
    gaps: str
    reason: str
    decision: Label | None
    confidence: float


class Skipped(Content):
    """A step that was left out, and why."""

    kind = "skipped"
    letter = "x"

    step: str
    reason: str


ROOT = "claim"
"""The id of the first thought."""


class Question(Content):
    """A question about the claim."""

    kind = "question"
    letter = "q"

    text: str


class Pruned(Content):
    """A question that is not explored.

    Attributes:
        reason: near-duplicate (of the second parent, with ``similarity`` as cosine) or beyond the width of the graph.
    """

    kind = "pruned"
    letter = "p"

    reason: str
    similarity: float


class Evidence(Content):
    """A passage retrieved for a question; ``score`` is the inner product of their embeddings."""

    kind = "evidence"
    letter = "e"

    passage: Passage
    score: float


class Verification(Content):
    """Whether the parent answer is entailed by its passage, and why."""

    kind = "verification"
    letter = "c"

    entailed: bool
    reason: str


C = TypeVar("C", bound=Content, covariant=True)
D = TypeVar("D", bound=Content)


class Thought(Record, Generic[C]):
    """A vertex of the graph.

    Attributes:
        id: says where the thought stands: "q2.e1.a1" is the answer from the first evidence for the second question.
        parents: ids of the thoughts that were the input.
        operation: the operation that made it.
        cost: seconds and tokens of making it; what several thoughts cost together stands on the first of them.
    """

    id: str
    kind: str
    parents: tuple[str, ...]
    operation: str
    content: C
    cost: Cost = Cost()

    @property
    def above(self) -> str:
        """The id of the thought under which this one stands."""
        return self.id.rpartition(".")[0] or ROOT

    @model_validator(mode="before")
    @classmethod
    def _content_by_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("content"), dict):
            content = _contents(data["kind"]).model_validate(data["content"])
            return {**data, "content": content}
        return data

    @model_validator(mode="after")
    def _content_fits_kind(self) -> "Thought[C]":
        if CONTENTS.get(self.kind) is not type(self.content):
            raise ValueError(f"a thought of kind {self.kind!r} cannot hold a {type(self.content).__name__}")
        return self


def _contents(kind: Any) -> type[Content]:
    if kind not in CONTENTS:
        raise ValueError(f"expected a thought of kind {', '.join(CONTENTS)}, got {kind!r}")
    return CONTENTS[kind]
