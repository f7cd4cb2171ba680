"""Data sets of prompts and replies: reading them, setting claims aside, and leaving out what is too long.

A data set is JSON Lines in TRL's conversational form, with the claim that each example was made of. The prompts are
the messages that the engine sends (``system.models.prompting``), so the chat template makes the same token ids of them.
"""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from system.graph.records import explain
from system.models.chat import ChatTokenizer
from training import TrainingError


class Turn(TypedDict):
    """A chat message."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[str, Field(min_length=1)]


Turns = Annotated[list[Turn], Field(min_length=1)]


class Example(BaseModel, ABC):
    """A prompt that the engine sends, with replies.

    Attributes:
        label: gold label of the claim, where the reply depends on it.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    claim_id: int
    label: str | None = None
    prompt: Turns

    @property
    @abstractmethod
    def replies(self) -> tuple[list[Turn], ...]:
        """All replies to the prompt."""


class Demonstration(Example):
    """A reply to learn."""

    completion: Turns

    @property
    def replies(self) -> tuple[list[Turn], ...]:
        """See ``Example.replies``."""
        return (self.completion,)

    @property
    def reply(self) -> str:
        """The reply that the model should write."""
        return self.completion[0]["content"]


class Preference(Example):
    """Two replies, of which one is better."""

    chosen: Turns
    rejected: Turns

    @property
    def replies(self) -> tuple[list[Turn], ...]:
        """See ``Example.replies``."""
        return (self.chosen, self.rejected)


E = TypeVar("E", bound=Example)


@dataclass(frozen=True)
class Split(Generic[E]):
    """Examples to learn from and examples that are held out; no claim is in both."""

    train: list[E]
    held_out: list[E]


def read_examples(path: Path, kind: type[E]) -> list[E]:
    """Read a data set in the order of the file.

    Raises:
        TrainingError: there is no such file, it is empty, or a line is no example of this kind; names file and line.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise TrainingError(f"{path}: no data set to train on ({error.strerror}); make it: {_REMEDY}") from error
    examples = [_parse(path, number, line, kind) for number, line in enumerate(lines, start=1) if line.strip()]
    if not examples:
        raise TrainingError(f"{path}: expected an example on each line, found none; make the data set again: {_REMEDY}")
    return examples


def split_by_claim(examples: Sequence[E], share: float, seed: int) -> Split[E]:
    """Set a share of the claims aside, at least one, with all their examples.

    The order in which claims are set aside depends on seed and claim alone, so that nearly the same claims are held
    out for all adapters.

    Raises:
        TrainingError: all examples are of one claim.
    """
    claims = sorted({example.claim_id for example in examples}, key=lambda claim: rank(seed, claim))
    if len(claims) < 2:
        raise TrainingError("expected examples of at least two claims, as one is held out; use more of the train split")
    aside = set(claims[: max(1, round(share * len(claims)))])
    train = [example for example in examples if example.claim_id not in aside]
    return Split(train, [example for example in examples if example.claim_id in aside])


def in_batches(examples: Sequence[E], size: int, seed: int) -> list[E]:
    """Order examples so that each batch is of about one length, and the batches stand at random.

    Grouping by length as transformers does goes from long to short again and again, which is from one data set to the
    other where they differ in length: the loss on held-out examples rose and fell with it.
    """
    generator = random.Random(seed)
    ordered = sorted(generator.sample(examples, len(examples)), key=lambda example: len(example.prompt[-1]["content"]))
    batches = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [example for batch in generator.sample(batches, len(batches)) for example in batch]


def that_fit(examples: Sequence[E], chat: ChatTokenizer) -> list[E]:
    """The examples that are no longer than the context with their longest reply.

    Raises:
        TrainingError: none is that short.
    """
    fitting = [example for example in examples if max(_lengths(example, chat)) <= chat.context]
    if not fitting:
        raise TrainingError(
            f"all {len(examples)} examples are longer than {chat.context} tokens; give a longer --context"
        )
    return fitting


_REMEDY = "python -m training data --help"


def _parse(path: Path, number: int, line: bytes, kind: type[E]) -> E:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        fault = explain(error.errors()[0], "the line", quoting=False)
        expected = ", ".join(kind.model_fields)
        raise TrainingError(
            f"{path}, line {number}: expected a JSON object with {expected}; {fault}; "
            f"make the data set again: {_REMEDY}"
        ) from error


def rank(seed: int, claim: int) -> bytes:
    """The place of a claim among those that are held out; the lowest are."""
    return hashlib.sha256(f"{seed}:{claim}".encode()).digest()


def _lengths(example: Example, chat: ChatTokenizer) -> Iterator[int]:
    for reply in example.replies:
        messages = [*example.prompt, *reply]
        yield len(chat.tokenizer.apply_chat_template(messages, return_dict=False))
