"""Holds a model to the JSON schema of its reply while it decodes, with llguidance."""

from typing import Any

import torch
from llguidance import LLMatcher
from llguidance.hf import from_tokenizer

from system.models.replies import decoding_schema
from system.tasks.base import FreeText, Reply

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

    def __call__(self, reply_type: type[Reply]) -> LLMatcher | None:
        """The automaton of a reply, at its start; None for a free one."""
        return None if reply_type is FreeText else LLMatcher(self._tokenizer, schema_grammar(reply_type))


class Row:
    """A reply as it grows, token by token; what its schema leaves no choice about is added at once.

    Args:
        schema: of the reply, or None.
        end: token that ends a reply.
        most: tokens of the reply, at most.

    Attributes:
        ids: the reply's tokens so far.
        logprobs: log-probability of each, given those before and the schema; 0 where there was no choice.
        unread: how many of the last tokens the model has not read.
        done: whether the reply has ended, or run into its limit.

    Raises:
        ValueError: the grammar cannot be read, or a token breaks it.
    """

    def __init__(self, schema: LLMatcher | None, end: int, most: int) -> None:
        self._schema, self._end, self._most = schema, end, most
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.unread, self.done = 0, False
        self._extend([])

    def allowed(self, vocabulary: int) -> torch.Tensor:
        """Which tokens may come next, (vocabulary,) bool."""
        if self._schema is None or self.done:
            return torch.ones(vocabulary, dtype=torch.bool)
        return torch.frombuffer(bytearray(self._schema.compute_logit_bias()), dtype=torch.uint8).bool()

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
        self.ids = [*self.ids, *new][: self._most]
        self.logprobs = [*self.logprobs, *[0.0] * len(forced)][: self._most]
        self.unread, self.done = len(new), self._end in new or len(self.ids) == self._most
