"""An encoder that embeds each text once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from knowledge_store.dense.encoder import SentenceEncoder


class Counting:
    """Texts as their length, noting which it is given at a time."""

    def __init__(self, batch=1000, symmetric=False):
        self.batch, self.symmetric = batch, symmetric
        self.passages: list[list[str]] = []
        self.queries: list[list[str]] = []

    def encode(self, texts, *, queries=False):
        (self.queries if queries else self.passages).append([*texts])
        return np.array([[-len(text) if queries else len(text)] for text in texts], dtype=np.float32)


def test_each_text_is_embedded_once_as_passage_and_as_query():
    counting = Counting()
    encoder = SentenceEncoder(counting, 1)
    assert encoder.encode(["a", "bb", "a"]).tolist() == [[1], [2], [1]]
    assert encoder.encode(["ccc", "bb"]).tolist() == [[3], [2]]
    assert encoder.encode_queries(["bb"]).tolist() == [[-2]]
    assert (counting.passages, counting.queries) == ([["a", "bb"], ["ccc"]], [["bb"]])
    symmetric = SentenceEncoder(Counting(symmetric=True), 1)
    assert symmetric.encode_queries(["a", "bb"]).tolist() == [[-1], [-2]]
    assert symmetric.encode(["bb", "ccc"]).tolist() == [[-2], [3]]


def test_no_batch_is_large():
    encoder, texts = Counting(batch=8), ["seven..", "a longer text", "two", "one"]
    assert SentenceEncoder(encoder, 1).encode(texts).tolist() == [[len(text)] for text in texts]
    assert encoder.passages == [["two", "one"], ["seven.."], ["a longer text"]]


def test_threads_embed_a_text_once():
    encoder, texts = Counting(batch=8), [str(number) * 8 for number in range(9)]
    cached = SentenceEncoder(encoder, 1)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: cached.encode(texts), range(12)):
            assert found.tolist() == [[8]] * 9
    assert sorted(encoder.passages) == [[text] for text in texts]


def test_the_least_recently_used_go_first():
    encoder = Counting()
    cached = SentenceEncoder(encoder, 1, capacity=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.encode([text])
    assert encoder.passages == [["a"], ["b"], ["c"], ["b"]]
