"""What all tasks have in common: typed inputs, the reply's schema, and the adapter that serves them.

A backend that speaks text renders ``prompts/<name>.md`` with the inputs; the embedded reader works on the inputs
themselves. Schemas constrain decoding, so a label is never searched for in prose.
"""

from enum import StrEnum
from typing import Annotated, ClassVar, Generic, TypeVar

from pydantic import Field, SerializeAsAny

from system.records import Claim, Record

Text = Annotated[str, Field(min_length=1)]


class Adapter(StrEnum):
    """The LoRA adapters of the paper (section 3.2), DebateCV's trained moderator, and none for the auxiliary steps."""

    QUESTION_GENERATION = "question_generation"
    QUESTION_ANSWERING = "question_answering"
    VERDICT_PREDICTION = "verdict_prediction"
    MODERATOR = "moderator"
    NONE = "none"


class Reply(Record):
    """Base of the replies. The order of the fields is the order in which a model writes them.

    Attributes:
        label_field: the field that holds a label, whose probability backends report as the confidence; it must be
            the last one. None where the reply has no label.
    """

    label_field: ClassVar[str | None] = None


class FreeText(Reply):
    """A reply in words of the model's own choice: decoded without a schema, and taken as it is."""

    text: str


R = TypeVar("R", bound=Reply, covariant=True)


class Task(Record, Generic[R]):
    """Base of the tasks.

    Attributes:
        name: name of the task and of its prompt file.
        adapter: the adapter that serves it.
        reply_type: schema of the reply.
        max_tokens: longest reply, in tokens.
        agent: which of several agents is asked, from 0. With several models each agent has its own; with one, the
            agents after the first are sampled with seeds of their own.
        drafts: earlier replies to the same task, to be made into a better one (CARP, section 3.7).
    """

    name: ClassVar[str]
    adapter: ClassVar[Adapter]
    reply_type: ClassVar[type[Reply]]
    max_tokens: ClassVar[int]

    claim: Claim
    agent: int = 0
    drafts: tuple[SerializeAsAny[Reply], ...] = ()

    @property
    def variant(self) -> int:
        """Which of several replies to the same inputs is wanted; 0 is the likeliest, the others are sampled."""
        return self.agent
