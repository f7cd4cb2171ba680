"""Lexical ranking: BM25 of texts, whose words are counted in one pass, without an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_store.tokenization import Hashes, Places, Text, compiled, hash_words

K1, B, EPSILON = 1.5, 0.75, 0.25


@dataclass(frozen=True, slots=True)
class Ranking:
    """The positions of texts in their collection, best first, and their BM25 scores."""

    positions: Places
    scores: NDArray[np.float64]


class Counts(NamedTuple):
    """The words of some texts, and in how many of the texts each distinct one occurs, in the order of first meeting."""

    hashes: Hashes  # (words,)
    lengths: Places  # (texts,) words of each
    distinct: Hashes  # (distinct words,)
    frequencies: Places  # (distinct words,)


def count(text: Text, starts: Places, ends: Places) -> Counts:
    """Count the words of the texts ``text[starts[i] : ends[i]]``, which may overlap."""
    hashes, lengths = hash_words(text, starts, ends)
    return Counts(hashes, lengths, *_frequencies(hashes, lengths))


@compiled
def _frequencies(hashes: Hashes, lengths: Places) -> tuple[Hashes, Places]:
    """The distinct words and their document frequencies, by a hash table with open addressing."""
    size = 2
    while size < 2 * len(hashes):
        size *= 2
    numbers = np.zeros(size, dtype=np.int64)  # of the word in a slot, from 1; 0: the slot is free
    distinct, frequencies = np.empty(len(hashes), dtype=np.uint64), np.zeros(len(hashes), dtype=np.int64)
    last = np.zeros(len(hashes), dtype=np.int64)  # text that has the word, from 1
    used = place = 0
    for text in range(len(lengths)):
        for key in hashes[place : place + lengths[text]]:
            slot = np.int64(key & np.uint64(size - 1))
            while numbers[slot] and distinct[numbers[slot] - 1] != key:
                slot = (slot + 1) & (size - 1)
            if not numbers[slot]:
                distinct[used] = key
                used += 1
                numbers[slot] = used
            word = numbers[slot] - 1
            if last[word] != text + 1:
                last[word] = text + 1
                frequencies[word] += 1
        place += lengths[text]
    return distinct[:used].copy(), frequencies[:used].copy()


class Bm25:
    """BM25Okapi over a collection of passages, for any number of queries. Threads may share it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = count(*encode(texts))

    def rank(self, query: str, limit: int) -> Ranking:
        """The ``limit`` best texts for a query. Texts of equal score stay in the order of the collection."""
        counter = QueryCounter([query])
        counter.add(self._counts)
        return counter.rank(query, limit)


class QueryCounter:
    """Gathers what BM25 needs to know of a collection to answer some queries, and scores it for each of them.

    Of each text only the words of the queries are kept. Scores are those of rank_bm25 with its defaults (k1 1.5,
    b 0.75, epsilon 0.25), see Trotman et al. (2014), "Improvements to BM25 and Language Models Examined". The floor
    that it puts under the weight of frequent words is a share of the average weight of all words, so the document
    frequency of every word is kept, not only the queries'.
    """

    def __init__(self, queries: Sequence[str]) -> None:
        self._query: Hashes = np.unique(_words("\n".join(queries)))
        self._lengths: list[Places] = []
        self._words: list[tuple[Hashes, Places]] = []  # distinct words of each part, in how many texts of it
        self._occurrences: list[tuple[Places, Places]] = []  # word << 32 | text, how often
        self._texts = 0

    def add(self, counts: Counts) -> None:
        """Add texts to the collection, before the first query."""
        self._lengths.append(counts.lengths)
        self._words.append((counts.distinct, counts.frequencies))
        asked = np.flatnonzero(np.isin(counts.hashes, self._query))
        texts = np.searchsorted(counts.lengths.cumsum(), asked, side="right") + self._texts
        words = np.searchsorted(self._query, counts.hashes[asked])
        self._occurrences.append(np.unique(words << 32 | texts, return_counts=True))
        self._texts += len(counts.lengths)

    def rank(self, query: str, limit: int) -> Ranking:
        """The ``limit`` best texts for one of the queries, by score, then in the order in which they were added."""
        scores = self._scores(query)
        positions = np.argsort(-scores, kind="stable")[:limit]
        return Ranking(positions, scores[positions])

    def _scores(self, query: str) -> NDArray[np.float64]:
        asked = _words(query)
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
    def _columns(self) -> list[tuple[Places, Places]]:
        """For each word of the queries, the texts that have it, in their order, and how often."""
        places, found = map(np.concatenate, zip(*self._occurrences, strict=True))
        order = places.argsort()
        cuts = np.searchsorted(places[order], np.arange(1, len(self._query)) << 32)
        rows = places[order] & (2**32 - 1)
        return list(zip(np.split(rows, cuts), np.split(found[order], cuts), strict=True))

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        """(texts,) what a text's length adds to the denominator; empty if no text has a word."""
        lengths = np.concatenate(self._lengths) if self._lengths else np.empty(0)
        return K1 * (1 - B + B * lengths / (lengths.sum() / self._texts)) if lengths.any() else np.empty(0)

    def _weight(self, frequency: float) -> float:
        """The inverse document frequency of a word that occurs in so many texts."""
        return log(self._texts - frequency + 0.5) - log(frequency + 0.5)

    @cached_property
    def _floor(self) -> float:
        """The weight of a word that more than half of the texts have: a share of the average weight of all words."""
        words, parts = map(np.concatenate, zip(*self._words, strict=True))
        _, first, places = np.unique(words, return_index=True, return_inverse=True)
        frequencies = np.bincount(places, weights=parts)[first.argsort()]  # in the order of first meeting
        return EPSILON * (sum(map(self._weight, frequencies.tolist())) / len(frequencies))


def _words(text: str) -> Hashes:
    return hash_words(*encode([text]))[0]


def encode(texts: Sequence[str]) -> tuple[Text, Places, Places]:
    """Texts as code points, one after the other, with where each starts and ends."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = lengths.cumsum()
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4"), ends - lengths, ends
