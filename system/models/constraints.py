"""Replies that are one of a few labels: the model reads the prompt once, and one position of its output decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Any

import torch

from system.graph.records import Cost
from system.models.base import Completion
from system.tasks.base import Reply


@dataclass(frozen=True)
class ClosedReplies:
    """All replies of a type, told apart by the first token in which they differ.

    Attributes:
        replies: by the value of their one field.
        forced: token ids that all of them begin with.
        tokens: the token behind it, of each reply in order.
    """

    replies: Mapping[str, Reply]
    forced: list[int]
    tokens: Sequence[int]

    def completion(self, place: int, logprobs: Sequence[float], cost: Cost, prompt: str) -> Completion[Reply]:
        """The reply in a place, with the probability of each.

        Args:
            logprobs: of ``tokens``, in their order; what they leave to other tokens is not counted.
        """
        chances = torch.tensor(logprobs).softmax(0).tolist()
        reply = list(self.replies.values())[place]
        probabilities = dict(zip(self.replies, chances, strict=True))
        return Completion(reply, cost, prompt, reply.model_dump_json(), chances[place], probabilities)


def closed_replies(reply_type: type[Reply], tokenizer: Any) -> ClosedReplies | None:
    """The replies of a type whose one field is of an enumeration; None for others.

    None too where a tokenizer has two of them begin alike: then one position cannot tell.
    """
    (name, field), *others = reply_type.model_fields.items()
    if others or not (isinstance(field.annotation, type) and issubclass(field.annotation, Enum)):
        return None
    replies = {value.value: reply_type(**{name: value}) for value in field.annotation}
    texts = [reply.model_dump_json() for reply in replies.values()]
    ids = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    forced = common_prefix(ids)
    tokens = [row[len(forced)] for row in ids]
    return ClosedReplies(replies, forced, tokens) if len(set(tokens)) == len(tokens) else None


def common_prefix(rows: Sequence[Sequence[int]]) -> list[int]:
    """The longest common prefix of all rows.

    >>> common_prefix([[1, 2, 3], [1, 2, 4, 5]])
    [1, 2]
    """
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False))]
