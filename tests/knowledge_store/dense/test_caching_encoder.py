"""An encoder that embeds each text once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from knowledge_store.dense.encoder import CachingEncoder


class Counting:
    """Texts as their length, noting which it is given at a time."""

    dimension = 1

    def __init__(self):
        self.passages: list[list[str]] = []
        self.queries: list[list[str]] = []

    def encode(self, texts):
        self.passages.append([*texts])
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def encode_queries(self, texts):
        self.queries.append([*texts])
        return np.array([[-len(text)] for text in texts], dtype=np.float32)


def test_each_text_is_embedded_once_as_passage_and_as_query():
    counting = Counting()
    encoder = CachingEncoder(counting)
    assert encoder.encode(["a", "bb", "a"]).tolist() == [[1], [2], [1]]
    assert encoder.encode(["ccc", "bb"]).tolist() == [[3], [2]]
    assert encoder.encode_queries(["bb"]).tolist() == [[-2]]
    assert (counting.passages, counting.queries) == ([["a", "bb"], ["ccc"]], [["bb"]])
    symmetric = CachingEncoder(counting, symmetric=True)
    assert symmetric.encode_queries(["a", "bb"]).tolist() == [[-1], [-2]]
    assert symmetric.encode(["bb", "ccc"]).tolist() == [[-2], [3]]


def test_no_batch_is_large():
    encoder, texts = Counting(), ["seven..", "a longer text", "two", "one"]
    assert CachingEncoder(encoder, batch=8).encode(texts).tolist() == [[len(text)] for text in texts]
    assert encoder.passages == [["two", "one"], ["seven.."], ["a longer text"]]


def test_threads_embed_a_text_once():
    encoder, texts = Counting(), [str(number) * 8 for number in range(9)]
    cached = CachingEncoder(encoder, batch=8)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: cached.encode(texts), range(12)):
            assert found.tolist() == [[8]] * 9
    assert sorted(encoder.passages) == [[text] for text in texts]


def test_the_least_recently_used_go_first():
    encoder = Counting()
    cached = CachingEncoder(encoder, capacity=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.encode([text])
    assert encoder.passages == [["a"], ["b"], ["c"], ["b"]]
