"""Sentences and their vectors: each text is embedded once, in batches, and remembered within bounds."""

from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sentencex import segment

from knowledge_store.encoder import Encoder, Vectors

_DECIMALS = 4  # cosines are rounded: the batch that a text was embedded in shows only in later digits


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each a verbatim part of it without the white space around."""
    return tuple(stripped for sentence in segment("en", text) if (stripped := sentence.strip()))


class Similarity:
    """Cosines between texts, with a cache of their vectors.

    Args:
        encoder: turns texts into unit vectors.
        capacity: vectors kept, the least recently used are forgotten first; 20,000 of 384 numbers are 30 MB.
    """

    def __init__(self, encoder: Encoder, capacity: int = 20_000) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed, in one call, those of the texts that have no vector yet."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._encoder.encode(missing), strict=True))

    def between(self, one: str, others: Iterable[str]) -> NDArray[np.float64]:
        """Cosines of a text with others, rounded: (number of others,) float64."""
        others = list(others)
        if not others:
            return np.zeros(0)
        self.prepare([one, *others])
        cosines = self._stack(others) @ self._vectors[one]
        self._forget([one, *others])
        return np.asarray(cosines, dtype=np.float64).round(_DECIMALS)

    def _stack(self, texts: list[str]) -> Vectors:
        return np.stack([self._vectors[text] for text in texts])

    def _forget(self, used: list[str]) -> None:
        for text in used:
            self._vectors.move_to_end(text)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)
