"""Choosing among scored passages: the best ones, of which none repeats another."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge_store.encoder import Vectors

SCORE_DIGITS = 4


def select(
    scores: NDArray[np.float32],
    vectors: Vectors,
    known: Vectors,
    limit: int,
    relevance: float,
    admits: Callable[[int, Sequence[int]], bool],
) -> list[int]:
    """Choose rows one by one by maximal marginal relevance (Carbonell and Goldstein, 1998, their equation 1).

    Args:
        scores: (n,), how relevant each row is.
        vectors: (n, dimension), unit length.
        known: (m, dimension), unit length: what was chosen before and need not be said again.
        limit: rows chosen, at most.
        relevance: lambda, the weight of the score; the cosine to the nearest row chosen so far weighs 1 - lambda.
        admits: whether a row may join those chosen so far; one that may not is passed over.

    Returns:
        The rows in the order of their choice; of rows that are equally good, the first.
    """
    waiting = np.ones(len(scores), dtype=bool)
    likeness = (vectors @ known.T).max(axis=1, initial=0.0)
    chosen: list[int] = []
    while len(chosen) < limit and waiting.any():
        # The last digits of a vector depend on the batch it was made in, so values that differ by less are equal.
        marginal = (relevance * scores - (1 - relevance) * likeness).round(SCORE_DIGITS)
        row = int(np.where(waiting, marginal, -np.inf).argmax())
        waiting[row] = False
        if admits(row, chosen):
            chosen.append(row)
            likeness = np.maximum(likeness, vectors @ vectors[row])
    return chosen
