"""An encoder that needs no model and counts its work."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from knowledge_store.dense.encoder import Vectors
from knowledge_store.tokenization import tokenize


class BagOfWords:
    """Embeds a text as its words, hashed: texts that share words are near. Remembers what it embedded."""

    dimension = 256

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return self.encode_queries(texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in tokenize(text):
                vectors[row, int.from_bytes(blake2b(word.encode()).digest()[:2], "big") % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
