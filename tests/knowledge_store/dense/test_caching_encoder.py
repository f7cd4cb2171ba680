"""An encoder that embeds each text once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

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


def test_a_text_has_one_vector_where_queries_are_embedded_as_passages() -> None:
    counting = Counting()
    encoder = CachingEncoder(counting, symmetric=True)
    assert encoder.encode_queries(["a", "bb"]).tolist() == [[-1], [-2]]
    assert encoder.encode(["bb", "ccc"]).tolist() == [[-2], [3]]
    assert (counting.passages, counting.queries) == (["ccc"], ["a", "bb"])


class Batches(Counting):
    """Notes which texts it is given at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.batches.append([*texts])
        return super().encode(texts)


def test_no_batch_is_large() -> None:
    """So that no claim holds the encoder for long."""
    encoder = Batches()
    texts = ["seven..", "a longer text", "two", "one"]
    assert CachingEncoder(encoder, batch=8).encode(texts).tolist() == [[len(text)] for text in texts]
    assert encoder.batches == [["two", "one"], ["seven.."], ["a longer text"]]


def test_threads_embed_a_text_once() -> None:
    encoder = Batches()
    cached = CachingEncoder(encoder, batch=8)
    texts = [str(number) * 8 for number in range(9)]
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: cached.encode(texts), range(12)):
            assert found.tolist() == [[8]] * 9
    assert sorted(encoder.passages) == texts


def test_the_least_recently_used_go_first() -> None:
    encoder = Batches()
    cached = CachingEncoder(encoder, capacity=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        assert cached.encode([text]).tolist() == [[1]]
    assert encoder.passages == ["a", "b", "c", "b"]
    assert cached.encode(["d", "e", "f"]).tolist() == [[1]] * 3
