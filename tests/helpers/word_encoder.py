"""An encoder for tests that counts its work."""

from collections.abc import Sequence

from knowledge_store.dense.encoder import Vectors
from knowledge_store.tokenization import tokenize
from tests.helpers.bridge import BagOfWords


class WordEncoder(BagOfWords):
    """Divides texts as BM25 does, and remembers what it embedded, queries aside."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return self.encode_queries(texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return super().encode([" ".join(tokenize(text)) for text in texts])
