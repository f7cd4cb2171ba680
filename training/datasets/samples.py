"""Training samples: a task of the engine with the reply that a model should have given it.

Tasks and replies are the engine's own types, so what a model is trained to read is what the engine will send
(``system.models.prompting``), and what it is trained to write is what structured output lets it write.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from system.models.chat import ChatTokenizer
from system.models.prompting import Message, RequestTooLongError, neutralize, render
from system.records import Label
from system.tasks.base import Reply, Task

Drops = Counter[str]
"""How many samples each filter has dropped, by the filter's name."""

TOO_LONG_PROMPT = "prompt longer than the context"
TOO_LONG_REPLY = "reply longer than the engine lets a model write"


@dataclass(frozen=True)
class Sample:
    """One sample.

    Attributes:
        label: the claim's gold label, or the one that the sample gives it.
        reply: what the model should write.
        rejected: of a preference pair, what it wrote instead; None otherwise.
        kind: what sort of sample it is, for the counts on the card.
    """

    id: str
    label: Label
    task: Task[Reply]
    reply: Reply
    kind: str
    rejected: Reply | None = None


@dataclass(frozen=True)
class DataSet:
    """Samples with what is to be said about them.

    Attributes:
        drops: what filters dropped while they were made.
        notes: how they were made, for the card.
    """

    name: str
    samples: Sequence[Sample]
    drops: Drops
    notes: dict[str, Any]


class Renderer(Protocol):
    """From a sample to the text that a trainer reads."""

    def prompt(self, task: Task[Reply]) -> list[Message]:
        """The messages of a prompt, cut as the engine cuts them; raises ``RequestTooLongError``."""
        ...

    def reply(self, sample: Sample, reply: Reply) -> str:
        """The text of a reply; raises ``RequestTooLongError`` where the engine would cut it off."""
        ...


class PlainRenderer:
    """Renders without a tokenizer: nothing is cut, and lengths are not known."""

    def prompt(self, task: Task[Reply]) -> list[Message]:
        """See ``Renderer.prompt``."""
        return render(task, adapter=True)

    def reply(self, sample: Sample, reply: Reply) -> str:
        """See ``Renderer.reply``."""
        return neutralize(reply.model_dump_json())


class TokenRenderer:
    """Renders for the model whose tokenizer this is, exactly as its backend does.

    Args:
        chat: the tokenizer, with the engine's context.
    """

    def __init__(self, chat: ChatTokenizer) -> None:
        self._chat = chat

    def prompt(self, task: Task[Reply]) -> list[Message]:
        """See ``Renderer.prompt``."""
        return self._chat.prompt(task, adapter=True).messages

    def reply(self, sample: Sample, reply: Reply) -> str:
        """See ``Renderer.reply``."""
        text = neutralize(reply.model_dump_json(), self._chat.specials)
        tokens = len(self._chat.tokenizer(text, add_special_tokens=False)["input_ids"]) + 1  # the end token
        if tokens > sample.task.max_tokens:
            raise RequestTooLongError(f"{sample.id}: a reply of {tokens} tokens, at most {sample.task.max_tokens}")
        return text


def rendered(sample: Sample, renderer: Renderer, drops: Drops) -> dict[str, Any] | None:
    """A line of a data set in TRL's conversational form; None, and counted, where it does not fit the engine."""
    try:
        prompt = renderer.prompt(sample.task)
    except RequestTooLongError:
        drops[TOO_LONG_PROMPT] += 1
        return None
    try:
        replies = _replies(sample, renderer)
    except RequestTooLongError:
        drops[TOO_LONG_REPLY] += 1
        return None
    return {"id": sample.id, "claim_id": sample.task.claim.id, "label": str(sample.label), "prompt": prompt, **replies}


def _replies(sample: Sample, renderer: Renderer) -> dict[str, list[dict[str, str]]]:
    def message(reply: Reply) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": renderer.reply(sample, reply)}]

    if sample.rejected is None:
        return {"completion": message(sample.reply)}
    return {"chosen": message(sample.reply), "rejected": message(sample.rejected)}
