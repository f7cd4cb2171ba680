"""Constrained decoding: JSON schemas, replies out of a few, and sampling.

llguidance enforces schemas. For a reply out of a few, the model reads the prompt once, and one position of its output
decides. Sampling adds noise: the likeliest token after that is a sample. A model that repeats itself, as small ones do,
is forced to end the string that it is writing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Any

import torch
from llguidance import LLMatcher
from llguidance.hf import from_tokenizer
from torch import Tensor

from system.graph.records import Cost
from system.models.base import Completion, Request
from system.models.replies import decoding_schema
from system.tasks.base import FreeText, Reply

PERIOD = 64
"""The longest loop, in tokens."""
LOOP = 32
"""The shortest text that counts as a loop, in tokens: seven digits that are the same are none."""
COPIES = 3
"""The fewest repetitions that make a loop."""
COMPACT: Any = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
"""JSON as ``Reply.model_dump_json`` writes it and vLLM constrains it."""


def schema_grammar(reply_type: type[Reply]) -> str:
    """The grammar of a reply, for llguidance."""
    return LLMatcher.grammar_from_json_schema(decoding_schema(reply_type), overrides=COMPACT)


class Schemas:
    """The schemas of replies as automata over a model's tokens; the tokenizer is read once, in about a second.

    Args:
        tokenizer: a fast tokenizer of transformers.
        vocabulary: columns of the model's logits, which may be more than the tokenizer has tokens.
    """

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        self._tokenizer = from_tokenizer(tokenizer, n_vocab=vocabulary)
        texts = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
        self._quotes = torch.zeros(vocabulary, dtype=torch.bool)
        self._quotes[: len(texts)] = torch.tensor([text.startswith('"') for text in texts])
        self._end = torch.zeros(vocabulary, dtype=torch.bool)
        self._end[tokenizer.eos_token_id] = True

    def row(self, reply_type: type[Reply], max_tokens: int) -> "Row":
        """A reply at its start, of so many tokens at most."""
        if reply_type is FreeText:
            return Row(None, self._end, max_tokens)
        return Row(LLMatcher(self._tokenizer, schema_grammar(reply_type)), self._end, max_tokens, self._quotes)


class Row:
    """A reply as it grows, token by token; what its schema leaves no choice about is added at once.

    Args:
        schema: of the reply, or None.
        end: which token ends a reply, (vocabulary,) bool.
        max_tokens: of the reply.
        quotes: which tokens begin with a quotation mark, which ends a string of the schema, (vocabulary,) bool.

    Attributes:
        ids: the reply's tokens so far.
        logprobs: log-probability of each, given those before and the schema; 0 where there was no choice.
        unread: how many of the last tokens the model has not read.
        done: whether the reply has ended, or run into its limit.

    Raises:
        ValueError: the grammar cannot be read, or a token breaks it.
    """

    def __init__(self, schema: LLMatcher | None, end: Tensor, max_tokens: int, quotes: Tensor | None = None) -> None:
        self._schema, self._end, self._max_tokens = schema, int(end.nonzero()), max_tokens
        self._closing = end if quotes is None else quotes
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.unread, self.done = 0, False
        self._extend([])

    def allowed(self, vocabulary: int) -> torch.Tensor:
        """Which tokens may come next, (vocabulary,) bool."""
        allowed = torch.ones(vocabulary, dtype=torch.bool)
        if self._schema and not self.done:
            allowed = torch.frombuffer(bytearray(self._schema.compute_logit_bias()), dtype=torch.uint8).bool()
        if loops(self.ids):
            closing = allowed & self._closing
            return closing if closing.any() else allowed
        return allowed

    def add(self, token: int, logprob: float) -> None:
        """Add the token that was chosen, and those that must follow it."""
        self.logprobs.append(logprob)
        self._extend([token])

    def _extend(self, tokens: list[int]) -> None:
        if self._schema and tokens and not self._schema.is_stopped():
            self._schema.consume_tokens(tokens)
        forced: list[int] = []
        if self._schema and tokens != [self._end]:
            forced = self._schema.compute_ff_tokens()
            self._schema.consume_tokens(forced)
            if self._schema.is_error():
                raise ValueError(self._schema.get_error())
        new = [*tokens, *forced]
        self.ids = [*self.ids, *new][: self._max_tokens]
        self.logprobs = [*self.logprobs, *[0.0] * len(forced)][: self._max_tokens]
        self.unread, self.done = len(new), self._end in new or len(self.ids) == self._max_tokens


def loops(ids: Sequence[int]) -> bool:
    """Whether token ids end in a loop.

    >>> loops([7, *[1, 2, 3, 4] * 8]), loops([7, *[1, 2, 3, 4] * 7])
    (True, False)
    """
    for period in range(1, PERIOD + 1):
        length = period * max(COPIES, -(-LOOP // period))
        if len(ids) >= length and ids[-1] == ids[-1 - period] and ids[-length:-period] == ids[period - length :]:
            return True
    return False


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


class GumbelNoise:
    """Sampling for a greedy choice: the likeliest token of logits / T plus Gumbel noise is a sample at temperature T.

    (Maddison et al., 2014, "A* sampling".) So each row of a batch has its own temperature and its own generator, and
    its sample does not depend on the other rows. Rows with temperature 0 are left as they are.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        self._temperatures = [request.temperature for request in requests]
        self._generators = [torch.Generator().manual_seed(request.seed) for request in requests]

    def __call__(self, scores: Tensor) -> Tensor:
        """Add noise to scores, (batch, vocabulary)."""
        for row, temperature in enumerate(self._temperatures):
            if temperature > 0:
                uniform = torch.rand(scores.shape[1], generator=self._generators[row]).clamp(min=1e-20)
                scores[row] = scores[row] / temperature - uniform.log().neg().log().to(scores.device)
        return scores
