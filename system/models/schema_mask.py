"""Holds a model to the JSON schema of its reply while it decodes, with llguidance."""

from typing import Any

import torch
from llguidance import LLMatcher, LLTokenizer
from llguidance.hf import from_tokenizer
from transformers import LogitsProcessor

from system.models.replies import decoding_schema
from system.tasks.base import Reply

COMPACT: Any = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
"""JSON as ``Reply.model_dump_json`` writes it and vLLM constrains it."""


def schema_grammar(reply_type: type[Reply]) -> str:
    """The grammar of a reply, for ``SchemaMask``."""
    return LLMatcher.grammar_from_json_schema(decoding_schema(reply_type), overrides=COMPACT)


class SchemaMasks:
    """Makes the mask of a batch; the tokenizer is read once, which takes about a second.

    Args:
        tokenizer: a fast tokenizer of transformers.
        vocabulary: columns of the model's logits, which may be more than the tokenizer has tokens.
    """

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        self._tokenizer = from_tokenizer(tokenizer, n_vocab=vocabulary)

    def __call__(self, reply_type: type[Reply]) -> "SchemaMask":
        """A mask for one batch of replies of this type."""
        return SchemaMask(self._tokenizer, schema_grammar(reply_type))


class SchemaMask(LogitsProcessor):
    """Leaves to each row of a batch only the tokens that its reply may go on with.

    Raises:
        ValueError: when called: the grammar cannot be read, or a row has left it.
    """

    def __init__(self, tokenizer: LLTokenizer, grammar: str) -> None:
        self._start = LLMatcher(tokenizer, grammar)
        self._rows: list[LLMatcher] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """The scores (rows, vocabulary), minus infinity where a token would break the schema."""
        if self._rows:
            for matcher, token in zip(self._rows, input_ids[:, -1].tolist(), strict=True):
                if not matcher.is_stopped():
                    matcher.consume_token(token)
        else:
            self._rows = [self._start.deep_copy() for _ in input_ids]
        allowed = torch.stack([self._allowed(matcher) for matcher in self._rows]).to(scores.device)
        return scores.masked_fill(~allowed, float("-inf"))

    def _allowed(self, matcher: LLMatcher) -> torch.Tensor:
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return torch.frombuffer(bytearray(matcher.compute_logit_bias()), dtype=torch.uint8).bool()
