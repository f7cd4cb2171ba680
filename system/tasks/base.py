"""The base of all tasks: typed inputs, the reply's schema, the prompt, and the adapter that serves them.

A backend that speaks text renders the prompt, a Markdown file named after the task beside the module that defines it;
the embedded reader works on the inputs themselves. Schemas constrain decoding, so a label is never searched for in
prose.
"""

import inspect
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import Field

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, QuestionAnswer, Record

Text = Annotated[str, Field(min_length=1)]


class Adapter(StrEnum):
    """The LoRA adapters of the paper (section 3.2), DebateCV's trained moderator, and none for the auxiliary steps."""

    QUESTION_GENERATION = "question_generation"
    QUESTION_ANSWERING = "question_answering"
    VERDICT_PREDICTION = "verdict_prediction"
    MODERATOR = "moderator"
    NONE = "none"


class Reply(Record):
    """Base of the replies. The order of the fields is the order in which a model writes them."""

    #: The last field, if it holds a label, whose probability backends report as the confidence; else None.
    label_field: ClassVar[str | None] = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.label_field and [*cls.model_fields][-1] != cls.label_field:
            raise TypeError(
                f"{cls.__name__}: expected {cls.label_field!r} as the last field, got {[*cls.model_fields]}"
            )


class FreeText(Reply):
    """A reply in words of the model's own choice: decoded without a schema, and taken as it is."""

    text: str


R = TypeVar("R", bound=Reply, covariant=True)


class Task(Record, Generic[R]):
    """Base of the tasks. A subclass with a name is a task; those without are bases of several.

    Attributes:
        name: name of the task and of its prompt file.
        adapter: the adapter that serves it.
        reply_type: schema of the reply, the parameter of the class.
        max_tokens: longest reply, in tokens.
        agent: which of several agents is asked, from 0; they take turns on the models.
    """

    name: ClassVar[str]
    adapter: ClassVar[Adapter] = Adapter.NONE
    reply_type: ClassVar[type[Reply]]
    max_tokens: ClassVar[int]

    claim: Claim
    agent: int = 0

    def variant(self, models: int) -> int:
        """Which of a model's replies to the same inputs is wanted; 0 is the likeliest, the others are sampled.

        Args:
            models: that agents take turns on; each gives its likeliest reply first.
        """
        return self.agent // models

    @classmethod
    def prompt_file(cls) -> Path:
        """The prompt, beside the module that names the task."""
        named = next(base for base in cls.__mro__ if "name" in vars(base))
        return Path(inspect.getfile(named)).with_name(f"{cls.name}.md")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        for parameter in cls.__pydantic_generic_metadata__["args"]:
            if isinstance(parameter, type):  # the class that is made for Task[SomeReply]; its subclasses inherit this
                cls.reply_type = parameter
        if hasattr(cls, "name"):
            _REGISTERED.append(cls)


# In quotes: pydantic leaves each generic form that is evaluated here in the module, and the documents would repeat it.
_REGISTERED: "list[type[Task[Reply]]]" = []


def registered() -> "tuple[type[Task[Reply]], ...]":
    """All tasks that have been defined so far: those of this package, and of other modules that were imported."""
    return tuple(_REGISTERED)


class EvidenceTask(Task[R], Generic[R]):
    """Base of the tasks over a body of evidence.

    Claim, questions and passages stand first in the prompt and alike for all of them, so that a prefix cache reads
    them once for a whole debate; what only one speaker is told comes last.

    Attributes:
        pairs: the questions that were asked, with their answers.
        evidence: the passages that may be cited, by their number from 1.
    """

    pairs: tuple[QuestionAnswer, ...]
    evidence: tuple[Passage, ...]
