"""The vertices of the graph, and what those hold that are the graph of thoughts' own (the paper's figure 2)."""

from typing import Any, Generic, TypeVar

from pydantic import model_validator

from knowledge_store.pages.page import Passage
from system.records import CONTENTS, Content, Cost, Record

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
