"""BM25 of one collection for many queries that are known beforehand: the collection is read and counted once.

Of each passage only the words of the queries are kept, as a sparse matrix; a query then costs a sum over its words.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix, vstack

from knowledge_store.bm25.counting import count_words
from knowledge_store.bm25.scoring import K1, B, QueryCounter, Ranking
from knowledge_store.settings import Tokenization
from knowledge_store.tokenization import Bytes, Places


class SharedCounter(QueryCounter):
    """Counts what BM25 needs to know of a collection to answer any of several queries.

    The scores are those of ``QueryCounter`` for the one query, bit for bit.

    Args:
        queries: all that will be asked.
    """

    def __init__(self, queries: list[str], tokenization: Tokenization = "words") -> None:
        super().__init__("\n".join(queries), tokenization)
        self._rows: list[csr_matrix] = []

    def add(self, text: Bytes, starts: Places, ends: Places) -> None:
        """See ``QueryCounter.add``."""
        tables = self._alphabet.kinds, self._alphabet.folds
        counts = count_words(text, starts, ends, *tables, self._query, self._vocabulary, self._texts)
        self._vocabulary = counts.vocabulary
        self._lengths.append(counts.lengths)
        self._rows.append(csr_matrix(counts.occurrences))
        self._texts += len(starts)

    def rank_for(self, query: str, limit: int) -> Ranking:
        """The ``limit`` best texts for one of the queries; ties in the order in which they were added.

        Raises:
            KeyError: the query has a word that none of the announced queries has.
        """
        asked = self._words(query)
        columns = np.searchsorted(self._query, asked)
        if not np.isin(asked, self._query).all():
            raise KeyError(f"expected one of the queries that were announced, got {query!r}")
        scores = np.zeros(self._texts)
        if self._norms.size:
            weights = {int(column): self._weight(self._frequency(int(column))) for column in columns}
            floor = self._mean_floor if min(weights.values(), default=0) < 0 else 0.0
            for column in map(int, columns):
                rows, found = self._column(column)
                weight = weights[column] if weights[column] >= 0 else floor
                scores[rows] += weight * (found * (K1 + 1) / (found + self._norms[rows]))
        positions = np.argsort(-scores, kind="stable")[:limit]
        return Ranking(positions, scores[positions])

    def _column(self, column: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        span = slice(self._columns.indptr[column], self._columns.indptr[column + 1])
        return self._columns.indices[span], self._columns.data[span]

    def _frequency(self, column: int) -> int:
        return int(self._columns.indptr[column + 1] - self._columns.indptr[column])

    @cached_property
    def _columns(self) -> csc_matrix:
        """(texts, words of the queries) how often each word occurs; the collection is complete from here on."""
        columns = vstack(self._rows).tocsc()
        self._rows.clear()
        return columns

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        lengths = np.concatenate(self._lengths) if self._lengths else np.empty(0)
        return K1 * (1 - B + B * lengths / (lengths.sum() / self._texts)) if lengths.any() else np.empty(0)

    @cached_property
    def _mean_floor(self) -> float:
        return self._floor()
