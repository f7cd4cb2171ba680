"""Encoding of pairs, and batches of pairs of about one length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowledge_store.turns import Turns, batches
from system.verifier.base import Probabilities, Reading

BATCH_TOKENS = 256
"""Of a batch on the CPU, padding included; larger ones are no faster, and other claims wait for each."""

Batch = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Ids, mask and types, each (n, tokens)."""


@dataclass(frozen=True)
class Encoded:
    """A pair as the model reads it; both of one length."""

    ids: Sequence[int]
    types: Sequence[int]


def clean(text: str) -> str:
    """A text without lone surrogates, which no tokenizer can read."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def judge(
    pairs: Sequence[tuple[str, str]],
    encode: Callable[[str, str], Encoded | None],
    logits: Callable[[Batch], NDArray[np.float32]],
    turns: Turns,
    padding: int,
    batch_tokens: int = BATCH_TOKENS,
) -> Probabilities:
    """Probabilities of all pairs.

    Args:
        encode: a passage and a statement as tokens; None where the statement is too long to be read.
        logits: of a batch, (n, 3) in the order of ``Reading``.
        turns: in which they are computed.
        padding: the id that fills a batch.
        batch_tokens: of a batch, padding included; a longer pair is one by itself.
    """
    result = np.zeros((len(pairs), len(Reading)), np.float32)
    result[:, Reading.NOT_ENOUGH] = 1
    encoded = {}
    for index, (passage, statement) in enumerate(pairs):
        passage, statement = clean(passage), clean(statement)
        if passage and statement and (tokens := encode(passage, statement)):
            encoded[index] = tokens
    chosen = [*batches(encoded, lambda index: len(encoded[index].ids), batch_tokens)]
    padded = (_padded([encoded[index] for index in indices], padding) for indices in chosen)
    for indices, found in zip(chosen, turns.map(logits, padded), strict=True):
        result[indices] = softmax(found)
    return result


def softmax(logits: NDArray[np.float32]) -> Probabilities:
    """Probabilities of each row."""
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Probabilities = (exponents / exponents.sum(axis=1, keepdims=True)).astype(np.float32)
    return probabilities


def _padded(rows: Sequence[Encoded], padding: int) -> Batch:
    shape = (len(rows), max(len(row.ids) for row in rows))
    ids, mask, types = np.full(shape, padding, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for place, row in enumerate(rows):
        length = len(row.ids)
        ids[place, :length], types[place, :length], mask[place, :length] = row.ids, row.types, 1
    return ids, mask, types
