"""Replies that are one of a few: the model reads the prompt once, and one position of its head decides between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Any

from system.tasks.base import Reply


@dataclass(frozen=True)
class ClosedReplies:
    """All replies of a type, told apart by the first token in which they differ.

    Attributes:
        replies: by the value of their one field.
        given: token ids that all of them begin with.
        tokens: the token behind it, of each reply in order.
    """

    replies: Mapping[str, Reply]
    given: list[int]
    tokens: Sequence[int]


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
    given = common_prefix(ids)
    tokens = [row[len(given)] for row in ids]
    return ClosedReplies(replies, given, tokens) if len(set(tokens)) == len(tokens) else None


def common_prefix(rows: Sequence[Sequence[int]]) -> list[int]:
    """What all rows begin with.

    >>> common_prefix([[1, 2, 3], [1, 2, 4, 5]])
    [1, 2]
    """
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False))]
