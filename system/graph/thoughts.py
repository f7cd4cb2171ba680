"""The vertices of the graph (the paper's figure 2), and what they hold: questions, evidence, what agents say."""

from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import computed_field, model_validator

from knowledge_store.pages.page import Passage, document
from system.graph.records import CONTENTS, Content, Cost, Record, Summary


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
    """One contribution to a debate, a consultancy or a conversation."""

    kind = "argument"
    letter = "d"

    speaker: Speaker
    round: int  #: counted from 1
    text: str
    passages: tuple[Passage, ...]  #: what it cites; the speaker names passages by number and cannot make one up

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=f"{self.speaker}, round {self.round}", text=self.text)


ROOT = "claim"
"""The id of the first thought."""


class Question(Content):
    """A question about the claim."""

    kind = "question"
    letter = "q"

    text: str
    again: bool = False  #: whether it was asked because the answers before it were not enough

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading="asked again" if self.again else self.kind, text=self.text)


class Pruned(Content):
    """A question that is not explored: it repeats the second parent (``similarity``: cosine), or enough were asked."""

    kind = "pruned"
    letter = "p"

    reason: str
    similarity: float

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        alike = f", similarity {self.similarity:.2f}" if self.similarity else ""
        return Summary(heading="not explored", text=self.reason + alike, minor=True)


OPENING = 240
"""Characters of a passage that its summary repeats; the whole of it stands in the evidence."""


class Evidence(Content):
    """A passage retrieved for a question; ``score`` is the inner product of their embeddings."""

    kind = "evidence"
    letter = "e"

    passage: Passage
    score: float

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        text = self.passage.text
        opening = text if len(text) <= OPENING else f"{text[:OPENING].rstrip()}…"
        return Summary(heading=document(self.passage.url).rpartition("/")[2], text=opening)


class Hypothetical(Content):
    """A passage that the model wrote to search with (HyDE); nothing rests on it."""

    kind = "hypothetical passage"
    letter = "h"

    text: str


class Verification(Content):
    """Whether the parent answer is entailed by its passage, and why."""

    kind = "verification"
    letter = "c"

    entailed: bool
    reason: str

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        heading = "✓ the passage says so" if self.entailed else "✗ the passage does not say so"
        return Summary(heading=heading, text=self.reason, minor=not self.entailed)


C = TypeVar("C", bound=Content, covariant=True)
D = TypeVar("D", bound=Content)


class Thought(Record, Generic[C]):
    """A vertex of the graph."""

    id: str  #: says where it stands: "q2.e1.a1" is the answer from the first evidence for the second question
    kind: str
    parents: tuple[str, ...]  #: ids of the thoughts that were the input
    operation: str  #: the operation that made it
    content: C
    cost: Cost = Cost()  #: seconds and tokens of making it; what several cost together stands on the first of them

    @computed_field  # type: ignore[prop-decorator]
    @property
    def summary(self) -> Summary:
        """The thought in words, written out with it so that no reader needs words of its own."""
        return self.content.summary

    @property
    def above(self) -> str:
        """The id of the thought under which this one stands."""
        return self.id.rpartition(".")[0] or ROOT

    @model_validator(mode="before")
    @classmethod
    def _content_by_kind(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        given = {name: value for name, value in data.items() if name != "summary"}  # it follows from the content
        if isinstance(data.get("content"), dict) and isinstance(kind := data.get("kind"), str):
            if kind not in CONTENTS:
                raise ValueError(f"expected a thought of kind {', '.join(CONTENTS)}, got {kind!r}")
            given["content"] = CONTENTS[kind].model_validate(data["content"])
        return given

    @model_validator(mode="after")
    def _content_fits_kind(self) -> "Thought[C]":
        if CONTENTS.get(self.kind) is not type(self.content):
            raise ValueError(f"a thought of kind {self.kind!r} cannot hold a {type(self.content).__name__}")
        return self
