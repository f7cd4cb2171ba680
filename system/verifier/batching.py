"""Encoding of pairs, and batches of pairs of about one length."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from system.verifier.base import Probabilities, Reading

BATCH_TOKENS = 2048
"""Of a batch, padding included: enough to keep two cores busy, and all of it in their caches."""

LONG = 256
"""Tokens of the longest pair with a statement of usual length, as verifiers are trained on."""

LONG_BATCH_TOKENS = 512
"""Of a batch of longer pairs. It takes about as long as the units of an ordinary claim, which wait for it meanwhile."""

Tokens = NDArray[np.int64]


@dataclass(frozen=True)
class Encoded:
    """A pair as the model reads it; both of one length."""

    ids: Sequence[int]
    types: Sequence[int]


def in_turns() -> ThreadPoolExecutor:
    """Whoever submits to it gets a turn in the order of asking; a lock may go to the same thread again and again."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="verifier")


def clean(text: str) -> str:
    """A text without lone surrogates, which no tokenizer can read."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def judge(
    pairs: Sequence[tuple[str, str]],
    encode: Callable[[str, str], Encoded | None],
    logits: Callable[[Tokens, Tokens, Tokens], NDArray[np.float32]],
    padding: int,
) -> Probabilities:
    """Probabilities of all pairs.

    Args:
        encode: a passage and a statement as tokens; None where the statement is too long to be read.
        logits: of a batch's ids, mask and types, each (n, tokens); gives (n, 3) in the order of ``Reading``.
        padding: the id that fills a batch.
    """
    result = np.zeros((len(pairs), len(Reading)), np.float32)
    result[:, Reading.NOT_ENOUGH] = 1
    encoded = {}
    for index, (passage, statement) in enumerate(pairs):
        passage, statement = clean(passage), clean(statement)
        if passage and statement and (tokens := encode(passage, statement)):
            encoded[index] = tokens
    for indices in _batches(encoded):
        rows = [encoded[index] for index in indices]
        ids, mask, types = _padded(rows, padding)
        result[indices] = softmax(logits(ids, mask, types))
    return result


def softmax(logits: NDArray[np.float32]) -> Probabilities:
    """Probabilities of each row."""
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Probabilities = (exponents / exponents.sum(axis=1, keepdims=True)).astype(np.float32)
    return probabilities


def _batches(encoded: dict[int, Encoded]) -> Iterator[list[int]]:
    """Indices of pairs in the order of their lengths, as many as fit a batch."""
    batch: list[int] = []
    for index in sorted(encoded, key=lambda index: len(encoded[index].ids)):
        length = len(encoded[index].ids)
        if batch and (len(batch) + 1) * length > (BATCH_TOKENS if length <= LONG else LONG_BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _padded(rows: Sequence[Encoded], padding: int) -> tuple[Tokens, Tokens, Tokens]:
    shape = (len(rows), max(len(row.ids) for row in rows))
    ids, mask, types = np.full(shape, padding, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for place, row in enumerate(rows):
        length = len(row.ids)
        ids[place, :length], types[place, :length], mask[place, :length] = row.ids, row.types, 1
    return ids, mask, types
