"""Maximal marginal relevance against its definition, worked out pair by pair."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.selection import select


def anyone(row: int, chosen: Sequence[int]) -> bool:
    return True


def unit(rows: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, 4)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def by_definition(
    scores: np.ndarray, vectors: np.ndarray, known: np.ndarray, limit: int, relevance: float
) -> list[int]:
    chosen: list[int] = []

    def marginal(row: int) -> float:
        likeness = max([0.0, *(float(vectors[row] @ other) for other in [*known, *vectors[chosen]])])
        return round(relevance * float(scores[row]) - (1 - relevance) * likeness, 4)

    while len(chosen) < min(limit, len(scores)):
        chosen.append(max((row for row in range(len(scores)) if row not in chosen), key=marginal))
    return chosen


@given(
    rows=st.integers(0, 8),
    known=st.integers(0, 3),
    limit=st.integers(0, 9),
    relevance=st.sampled_from([1.0, 0.7, 0.3]),
    seed=st.integers(0, 1000),
)
def test_rows_are_chosen_as_defined(rows: int, known: int, limit: int, relevance: float, seed: int) -> None:
    vectors, before = unit(rows, seed), unit(known, seed + 1)
    scores = (vectors @ unit(1, seed + 2)[0]).astype(np.float32)
    chosen = select(scores, vectors, before, limit, relevance, anyone)
    assert chosen == by_definition(scores, vectors, before, limit, relevance)


def test_relevance_alone_is_the_order_of_the_scores_and_ties_keep_theirs() -> None:
    scores = np.array([0.2, 0.5, 0.50001, 0.9], dtype=np.float32)
    assert select(scores, unit(4, 0), unit(0, 0), 4, 1.0, anyone) == [3, 1, 2, 0]


def test_novelty_passes_over_what_is_like_the_chosen() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    scores = np.array([0.9, 0.8, 0.5], dtype=np.float32)
    assert select(scores, vectors, vectors[:0], 2, 1.0, anyone) == [0, 1]
    assert select(scores, vectors, vectors[:0], 2, 0.5, anyone) == [0, 2]
    assert select(scores, vectors, vectors[:1], 1, 0.5, anyone) == [2]


@pytest.mark.parametrize("limit", [1, 3])
def test_a_row_that_is_not_admitted_takes_no_place(limit: int) -> None:
    asked: list[tuple[int, list[int]]] = []

    def admits(row: int, chosen: Sequence[int]) -> bool:
        asked.append((row, list(chosen)))
        return row != 1

    scores = np.array([0.1, 0.9, 0.5], dtype=np.float32)
    assert select(scores, unit(3, 0), unit(0, 0), limit, 1.0, admits) == [2, 0][:limit]
    assert asked[:2] == [(1, []), (2, [])]
