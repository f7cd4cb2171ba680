"""Annotated claims, and what stands in for models that score or judge."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import GoldClaim, read_gold
from tests.helpers.training_claims import write
from training.datasets.evidence import Source


def word_overlap(queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
    """The share of a query's words that a passage has."""
    words = [set(query.lower().split()) for query in queries]
    return np.array([[len(w & set(p.lower().split())) / len(w) for p in passages] for w in words])


@pytest.fixture
def annotated(tmp_path: Path) -> list[GoldClaim]:
    return read_gold(write(tmp_path / "train.json"))


@pytest.fixture
def source() -> Source:
    """Without a store."""
    return Source(None, RetrievalSettings(chunk_size=80), "word overlap", word_overlap, threshold=0.5)
