"""The thoughts of the graph: their kinds, what each kind holds, and how it is named."""

from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import model_validator

from knowledge_store.pages.page import Passage
from system.claim_analysis import ClaimGraph, Plan, Stance, Subclaims
from system.records import Answer, Claim, Cost, Failure, QuestionAnswer, Record, Verdict
from system.speech import Argument, Ruling, Skipped


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
    ARGUMENT = "argument"
    RULING = "ruling"
    SUBCLAIMS = "subclaims"
    CLAIM_GRAPH = "claim graph"
    PLAN = "plan"
    STANCE = "stance"
    SKIPPED = "skipped"
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


Content = (
    Claim
    | Question
    | Pruned
    | Evidence
    | Answer
    | Verification
    | QuestionAnswer
    | Verdict
    | Argument
    | Ruling
    | Subclaims
    | ClaimGraph
    | Plan
    | Stance
    | Skipped
    | Failure
)

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
    ThoughtKind.ARGUMENT: Argument,
    ThoughtKind.RULING: Ruling,
    ThoughtKind.SUBCLAIMS: Subclaims,
    ThoughtKind.CLAIM_GRAPH: ClaimGraph,
    ThoughtKind.PLAN: Plan,
    ThoughtKind.STANCE: Stance,
    ThoughtKind.SKIPPED: Skipped,
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
    ThoughtKind.ARGUMENT: "d",
    ThoughtKind.RULING: "r",
    ThoughtKind.SUBCLAIMS: "s",
    ThoughtKind.CLAIM_GRAPH: "g",
    ThoughtKind.PLAN: "l",
    ThoughtKind.STANCE: "t",
    ThoughtKind.SKIPPED: "x",
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
