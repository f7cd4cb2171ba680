"""The Graph of Thoughts (Besta et al., 2024): what was thought, from what, and at which cost.

The graph only grows. An edge is held once, as a parent's id in the child, and a parent must be there before its child,
so the order of the thoughts is a topological order and a cycle cannot be written down.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import model_validator

from knowledge_store.passages import Passage
from system.records import Answer, Claim, Cost, Failure, QuestionAnswer, Record, Verdict


class GraphError(Exception):
    """A thought does not fit into the graph."""


class ThoughtKind(StrEnum):
    """The kinds of thoughts (the paper's figure 2) and what may become of them."""

    CLAIM = "claim"
    QUESTION = "question"
    PRUNED = "pruned"
    EVIDENCE = "evidence"
    ANSWER = "answer"
    VERIFICATION = "verification"
    MERGED_ANSWER = "merged answer"
    VERDICT = "verdict"
    FAILURE = "failure"


class Question(Record):
    """A question about the claim."""

    text: str


class Pruned(Record):
    """A question that is not explored.

    Attributes:
        reason: near-duplicate (of the second parent, with ``similarity`` as cosine) or beyond the width of the graph.
    """

    reason: str
    similarity: float


class Evidence(Record):
    """A passage retrieved for a question; ``score`` is the inner product of their embeddings."""

    passage: Passage
    score: float


class Verification(Record):
    """Whether the parent answer is entailed by its passage, and why."""

    entailed: bool
    reason: str


Content = Claim | Question | Pruned | Evidence | Answer | Verification | QuestionAnswer | Verdict | Failure

C = TypeVar("C", bound=Content, covariant=True)
D = TypeVar("D", bound=Content)

CONTENT: dict[ThoughtKind, type[Record]] = {
    ThoughtKind.CLAIM: Claim,
    ThoughtKind.QUESTION: Question,
    ThoughtKind.PRUNED: Pruned,
    ThoughtKind.EVIDENCE: Evidence,
    ThoughtKind.ANSWER: Answer,
    ThoughtKind.VERIFICATION: Verification,
    ThoughtKind.MERGED_ANSWER: QuestionAnswer,
    ThoughtKind.VERDICT: Verdict,
    ThoughtKind.FAILURE: Failure,
}
KIND = {content: kind for kind, content in CONTENT.items()}
LETTER = {
    ThoughtKind.QUESTION: "q",
    ThoughtKind.PRUNED: "p",
    ThoughtKind.EVIDENCE: "e",
    ThoughtKind.ANSWER: "a",
    ThoughtKind.VERIFICATION: "c",
    ThoughtKind.MERGED_ANSWER: "m",
    ThoughtKind.VERDICT: "v",
    ThoughtKind.FAILURE: "f",
}
ROOT = "claim"


class Thought(Record, Generic[C]):
    """A vertex of the graph.

    Attributes:
        id: says where the thought stands: "q2.e1.a1" is the answer from the first evidence for the second question.
        parents: ids of the thoughts that were the input.
        operation: the operation that made it.
        cost: seconds and tokens of making it; what several thoughts cost together stands on the first of them.
    """

    id: str
    kind: ThoughtKind
    parents: tuple[str, ...]
    operation: str
    content: C
    cost: Cost = Cost()

    @model_validator(mode="before")
    @classmethod
    def _content_by_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("content"), dict):
            content = CONTENT[ThoughtKind(data["kind"])].model_validate(data["content"])
            return {**data, "content": content}
        return data

    @model_validator(mode="after")
    def _content_fits_kind(self) -> "Thought[C]":
        if KIND[type(self.content)] is not self.kind:
            raise ValueError(f"a thought of kind {self.kind!r} cannot hold a {type(self.content).__name__}")
        return self


class Graph:
    """The thoughts about one claim, in the order in which they came.

    >>> graph = Graph(Claim(id=0, text="Water is wet."))
    >>> question = graph.add(Question(text="Is water wet?"), [graph.root], "ask")
    >>> question.id, question.parents
    ('q1', ('claim',))
    >>> Graph.from_json(graph.to_json()).thoughts == graph.thoughts
    True
    """

    def __init__(self, claim: Claim) -> None:
        root = Thought[Claim](id=ROOT, kind=ThoughtKind.CLAIM, parents=(), operation="read", content=claim)
        self._thoughts: dict[str, Thought[Content]] = {ROOT: root}

    @property
    def root(self) -> Thought[Content]:
        """The claim."""
        return self._thoughts[ROOT]

    @property
    def thoughts(self) -> tuple[Thought[Content], ...]:
        """All thoughts, parents before children."""
        return tuple(self._thoughts.values())

    def __getitem__(self, thought_id: str) -> Thought[Content]:
        return self._thoughts[thought_id]

    def __iter__(self) -> Iterator[Thought[Content]]:
        return iter(self.thoughts)

    def of_kind(self, kind: ThoughtKind) -> list[Thought[Content]]:
        """The thoughts of a kind, oldest first."""
        return [thought for thought in self if thought.kind is kind]

    def children(self, thought: Thought[Content]) -> list[Thought[Content]]:
        """The thoughts that were made from this one, oldest first."""
        return [other for other in self if thought.id in other.parents]

    def add(
        self,
        content: D,
        parents: Sequence[Thought[Content]],
        operation: str,
        cost: Cost | None = None,
        under: Thought[Content] | None = None,
    ) -> "Thought[D]":
        """Append a thought.

        Args:
            under: the thought whose id the new id extends; the first parent unless told otherwise.

        Raises:
            GraphError: there is no parent, or a parent is not in this graph.
        """
        kind = KIND[type(content)]
        if not parents:
            raise GraphError(f"a thought of kind {kind!r} needs a parent")
        prefix = self._prefix((under or parents[0]).id) + LETTER[kind]
        number = 1 + sum(
            thought_id.startswith(prefix) and thought_id[len(prefix) :].isdigit() for thought_id in self._thoughts
        )
        thought = Thought[Any](
            id=f"{prefix}{number}",
            kind=kind,
            parents=tuple(parent.id for parent in parents),
            operation=operation,
            content=content,
            cost=cost or Cost(),
        )
        self._append(thought)
        return thought

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON writer; ``from_json`` reads it back without loss."""
        return {"thoughts": [thought.model_dump(mode="json") for thought in self]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Graph":
        """Read what ``to_json`` wrote.

        Raises:
            GraphError: the first thought is not a claim, a parent is missing, or an id occurs twice.
        """
        thoughts = [Thought[Any].model_validate(item) for item in data["thoughts"]]
        if not thoughts or not isinstance(thoughts[0].content, Claim):
            raise GraphError("a graph begins with its claim")
        graph = cls(thoughts[0].content)
        for thought in thoughts[1:]:
            graph._append(thought)
        return graph

    @staticmethod
    def _prefix(thought_id: str) -> str:
        return "" if thought_id == ROOT else f"{thought_id}."

    def _append(self, thought: Thought[Content]) -> None:
        missing = [parent for parent in thought.parents if parent not in self._thoughts]
        if missing or thought.id in self._thoughts:
            raise GraphError(f"thought {thought.id!r} " + (f"has unknown parents {missing}" if missing else "exists"))
        self._thoughts[thought.id] = thought
