"""Data sets of prompts and replies: read them, hold claims out, and drop examples that are too long.

A data set is JSON Lines in TRL's conversational form, with the claim that each example was made of. The prompts are
the messages that the engine sends (``system.models.prompting``), so the chat template gives the same token ids.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from system.graph.records import explain
from system.models.chat import ChatTokenizer
from training import TrainingError

_REMEDY = "python -m training data --help"


class Turn(TypedDict):
    """A chat message."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[str, Field(min_length=1)]


Turns = Annotated[list[Turn], Field(min_length=1)]


class Example(BaseModel):
    """A prompt of the engine; its subclasses have replies."""

    model_config = ConfigDict(frozen=True)

    claim_id: int
    prompt: Turns

    @property
    def conversations(self) -> list[list[Turn]]:
        """The prompt with each of its replies."""
        names = {"completion", "chosen", "rejected"} & type(self).model_fields.keys()
        return [[*self.prompt, *getattr(self, name)] for name in names]


class Demonstration(Example):
    """A reply to learn."""

    completion: Turns


class Preference(Example):
    """Two replies, of which the first is better."""

    chosen: Turns
    rejected: Turns


E = TypeVar("E", bound=Example)


@dataclass(frozen=True)
class Split(Generic[E]):
    """Training and held-out examples; no claim is in both."""

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
    examples = []
    for number, line in enumerate(lines, start=1):
        try:
            examples.append(kind.model_validate_json(line))
        except ValidationError as error:
            fault = explain(error.errors()[0], "the line", quoting=False)
            raise TrainingError(
                f"{path}, line {number}: expected a JSON object with {', '.join(kind.model_fields)}; {fault}; "
                f"make the data set again: {_REMEDY}"
            ) from error
    if not examples:
        raise TrainingError(f"{path}: expected an example on each line, found none; make the data set again: {_REMEDY}")
    return examples


def split_by_claim(examples: Sequence[E], share: float, seed: int) -> Split[E]:
    """Hold out a share of the claims, at least one, with all their examples.

    The order in which claims are held out depends on seed and claim id only, so all adapters hold out nearly the same.

    Raises:
        TrainingError: all examples are of one claim.
    """

    def rank(claim: int) -> bytes:
        return hashlib.sha256(f"{seed}:{claim}".encode()).digest()

    claims = sorted({example.claim_id for example in examples}, key=rank)
    if len(claims) < 2:
        raise TrainingError("expected examples of at least two claims, as one is held out; use more of the train split")
    aside = set(claims[: max(1, round(share * len(claims)))])
    train = [example for example in examples if example.claim_id not in aside]
    return Split(train, [example for example in examples if example.claim_id in aside])


def in_batches(examples: Sequence[E], size: int, seed: int) -> list[E]:
    """Order examples so that each batch has about one length, and the batches are in random order.

    The order is fixed before the training, so that a resumed epoch goes on where it stopped. Transformers' own
    ``group_by_length`` draws another order after a resume, which would repeat some examples and skip others.
    """
    generator = random.Random(seed)
    ordered = sorted(generator.sample(examples, len(examples)), key=lambda example: len(example.prompt[-1]["content"]))
    batches = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [example for batch in generator.sample(batches, len(batches)) for example in batch]


def that_fit(examples: Sequence[E], chat: ChatTokenizer) -> list[E]:
    """Return the examples whose prompt and longest reply fit the context.

    Raises:
        TrainingError: none fits.
    """

    def length(conversation: list[Turn]) -> int:
        return len(chat.tokenizer.apply_chat_template(conversation, return_dict=False))

    fitting = [example for example in examples if max(map(length, example.conversations)) <= chat.context]
    if not fitting:
        raise TrainingError(
            f"all {len(examples)} examples are longer than {chat.context} tokens; give a longer --context"
        )
    return fitting
