"""Lexical ranking: BM25 over texts, and the words that it counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

# Scripts that put no space between words: Thai to Myanmar, Khmer, kana, Han. Each character is a word of its own.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = regex.compile(
    rf"\d+(?:[.,]\d+)*"  # a number with its separators: 1,000.5
    rf"|[{_UNSPACED}]\p{{M}}*"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+"  # marks are the vowels of Devanagari, not punctuation
    rf"|%",
    regex.VERSION1,
)


def words(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the words of a text as BM25 counts them, each after its span in the text, in characters.

    >>> [text[start:end] for text in ["$1,000.5"] for (start, end), _ in words(text)]
    ['1,000.5']
    """
    return ((match.span(), _normal(match.group())) for match in _WORD.finditer(text))


def tokenize(text: str) -> list[str]:
    """Split a text into the words that BM25 counts.

    >>> tokenize("Sales rose 12% to $1,000.5 in हिन्दी and 中文.")
    ['sales', 'rose', '12', '%', 'to', '1000.5', 'in', 'हिन्दी', 'and', '中', '文']
    """
    return [_normal(word) for word in _WORD.findall(text)]


def _normal(word: str) -> str:
    return word.lower().replace(",", "")


@dataclass(frozen=True, slots=True)
class Ranking:
    """Texts in order, best first.

    Attributes:
        positions: (n,) int64, where each text stands in the collection.
        scores: (n,) float64, their BM25 scores, which never rise.
    """

    positions: NDArray[np.int64]
    scores: NDArray[np.float64]


class Bm25:
    """BM25Okapi over a collection of texts, ready for any number of queries.

    Scores are those of rank_bm25 with its defaults (k1 1.5, b 0.75, epsilon 0.25), see Trotman et al. (2014),
    "Improvements to BM25 and Language Models Examined".
    """

    def __init__(self, texts: Sequence[str]) -> None:
        words = [tokenize(text) for text in texts]
        self._size = len(words)
        self._model = BM25Okapi(words) if any(words) else None  # rank_bm25 divides by the number of words

    def rank(self, query: str, limit: int) -> Ranking:
        """The ``limit`` best texts for a query. Texts of equal score stay in the order of the collection."""
        scores = self._model.get_scores(tokenize(query)) if self._model else np.zeros(self._size)
        positions = np.argsort(-scores, kind="stable")[:limit]
        return Ranking(positions, scores[positions])
