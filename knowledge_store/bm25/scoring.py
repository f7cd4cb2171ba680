"""Lexical ranking: BM25 of texts for one query, counted in one pass, without an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.counting import FREQUENCY, ORDER, Numbers, count_words, empty_vocabulary, word_hashes
from knowledge_store.tokenization import NOTHING, Bytes, Hashes, Places, case_folds, kinds_of_characters

K1, B, EPSILON = 1.5, 0.75, 0.25
_FIRST_VOCABULARY = 2**16


@dataclass(frozen=True, slots=True)
class Ranking:
    """The positions of texts in their collection, best first, and their BM25 scores."""

    positions: NDArray[np.int64]
    scores: NDArray[np.float64]


class Bm25:
    """BM25Okapi over a collection of passages, for any number of queries. Threads may share it.

    A query costs one pass over the texts, some 6 ms a megabyte.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = encode(texts)

    def rank(self, query: str, limit: int) -> Ranking:
        """The ``limit`` best texts for a query. Texts of equal score stay in the order of the collection."""
        counter = QueryCounter([query])
        counter.add(*self._texts)
        return counter.rank(query, limit)


class QueryCounter:
    """Counts what BM25 needs to know of a collection to answer some queries, and scores it for each of them.

    The collection is read once. Of each text only the words of the queries are kept. Scores are those of rank_bm25 with
    its defaults (k1 1.5, b 0.75, epsilon 0.25), see Trotman et al. (2014), "Improvements to BM25 and Language Models
    Examined". The floor that it puts under the weight of frequent words is a share of the average weight of all words,
    so the document frequency of every word is counted, not only the queries'.
    """

    def __init__(self, queries: Sequence[str]) -> None:
        self._tables = kinds_of_characters(), case_folds()
        self._query: Hashes = np.unique(self._words("\n".join(queries)))
        self._vocabulary = empty_vocabulary(_FIRST_VOCABULARY)
        self._lengths: list[Numbers] = []
        self._occurrences: list[tuple[NDArray[np.int64], NDArray[np.int64], Numbers]] = []  # text, word, how often
        self._texts = 0

    def add(self, text: Bytes, starts: Places, ends: Places) -> None:
        """Count more texts of the collection, before the first query: ``text[starts[i] : ends[i]]``; may overlap."""
        counts = count_words(text, starts, ends, *self._tables, self._query, self._vocabulary, self._texts)
        self._vocabulary = counts.vocabulary
        self._lengths.append(counts.lengths)
        rows, words = np.nonzero(counts.occurrences)
        self._occurrences.append((rows + self._texts, words, counts.occurrences[rows, words]))
        self._texts += len(starts)

    def rank(self, query: str, limit: int) -> Ranking:
        """The ``limit`` best texts for one of the queries, by score, then in the order in which they were added."""
        scores = self._scores(query)
        positions = np.argsort(-scores, kind="stable")[:limit]
        return Ranking(positions, scores[positions])

    def _scores(self, query: str) -> NDArray[np.float64]:
        asked = self._words(query)
        if not np.isin(asked, self._query).all():
            raise KeyError(f"expected one of the queries that were announced, got {query!r}")
        scores = np.zeros(self._texts)
        if not self._norms.size:
            return scores
        columns = [self._columns[word] for word in np.searchsorted(self._query, asked)]
        weights = [self._weight(len(rows)) for rows, _ in columns]
        floor = self._floor if min(weights, default=0) < 0 else 0.0
        # In the order of rank_bm25's own operations, here and in ``_norms``, so that rounding makes and breaks no ties.
        for weight, (rows, found) in zip(weights, columns, strict=True):
            scores[rows] += (weight if weight >= 0 else floor) * (found * (K1 + 1) / (found + self._norms[rows]))
        return scores

    @cached_property
    def _columns(self) -> list[tuple[NDArray[np.int64], Numbers]]:
        """For each word of the queries, the texts that have it, in their order, and how often."""
        rows, words, found = map(np.concatenate, zip(*self._occurrences, strict=True))
        self._occurrences.clear()
        order = np.argsort(words, kind="stable")
        cuts = np.searchsorted(words[order], np.arange(1, len(self._query)))
        return list(zip(np.split(rows[order], cuts), np.split(found[order], cuts), strict=True))

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        """(texts,) what a text's length adds to the denominator; empty if no text has a word."""
        lengths = np.concatenate(self._lengths) if self._lengths else np.empty(0)
        return K1 * (1 - B + B * lengths / (lengths.sum() / self._texts)) if lengths.any() else np.empty(0)

    def _weight(self, frequency: int) -> float:
        """The inverse document frequency of a word that occurs in so many texts."""
        return log(self._texts - frequency + 0.5) - log(frequency + 0.5)

    @cached_property
    def _floor(self) -> float:
        """The weight of a word that more than half of the texts have: a share of the average weight of all words."""
        words = self._vocabulary.entries[self._vocabulary.keys != NOTHING]
        total = sum(map(self._weight, words[words[:, ORDER].argsort(), FREQUENCY].tolist()))
        return EPSILON * (total / len(words))

    def _words(self, text: str) -> Hashes:
        data, _, _ = encode([text])
        hashes = np.empty(len(data), dtype=np.uint64)
        count = word_hashes(data, 0, len(data), *self._tables, hashes)
        return hashes[:count]


def encode(texts: Sequence[str]) -> tuple[Bytes, Places, Places]:
    """Texts as UTF-8, one after the other, with where each starts and ends; half a surrogate pair is kept as it is."""
    data = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([len(item) for item in data], dtype=np.int64)
    ends = lengths.cumsum()
    return np.frombuffer(b"".join(data), dtype=np.uint8), ends - lengths, ends
