"""Sentences and their vectors: each text is embedded once, in batches, and cached within bounds."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import CachingEncoder, Encoder

_DECIMALS = 4  # cosines are rounded: the batch that a text was embedded in shows only in later digits


class Similarity:
    """Cosines between texts, with a cache of their vectors.

    Args:
        encoder: turns texts into unit vectors.
        capacity: vectors kept, where the encoder does not cache; see ``CachingEncoder``.
    """

    def __init__(self, encoder: Encoder, capacity: int = 20_000) -> None:
        self._encoder = encoder if isinstance(encoder, CachingEncoder) else CachingEncoder(encoder, capacity)

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed, in one call, those of the texts that have no vector yet."""
        self._encoder.encode(list(texts))

    def between(self, one: str, others: Iterable[str]) -> NDArray[np.float64]:
        """Cosines of a text with others, rounded: (number of others,) float64."""
        others = list(others)
        if not others:
            return np.zeros(0)
        vectors = self._encoder.encode([one, *others])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64).round(_DECIMALS)
