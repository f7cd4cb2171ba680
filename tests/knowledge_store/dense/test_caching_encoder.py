"""An encoder that embeds each text once."""

from collections.abc import Sequence

import numpy as np

from knowledge_store.dense.encoder import CachingEncoder, Vectors


class Counting:
    """Texts as their length, noting what it is given."""

    dimension = 1

    def __init__(self) -> None:
        self.passages: list[str] = []
        self.queries: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.passages += texts
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        self.queries += texts
        return np.array([[-len(text)] for text in texts], dtype=np.float32)


def test_each_text_is_embedded_once_as_passage_and_as_query() -> None:
    counting = Counting()
    encoder = CachingEncoder(counting)
    assert encoder.encode(["a", "bb", "a"]).tolist() == [[1], [2], [1]]
    assert encoder.encode(["ccc", "bb"]).tolist() == [[3], [2]]
    assert encoder.encode_queries(["bb"]).tolist() == [[-2]]
    assert (counting.passages, counting.queries) == (["a", "bb", "ccc"], ["bb"])


def test_no_texts_give_an_empty_matrix() -> None:
    assert CachingEncoder(Counting()).encode([]).shape == (0, 1)
