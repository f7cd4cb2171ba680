"""Annotated claims, and what stands in for models that score or judge."""

import numpy as np
import pytest

from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import read_gold
from tests.helpers.annotated import write
from training.datasets.evidence import Source


def word_overlap(queries, passages):
    """The share of a query's words that a passage has."""
    words = [set(query.lower().split()) for query in queries]
    return np.array([[len(w & set(p.lower().split())) / len(w) for p in passages] for w in words])


@pytest.fixture
def annotated(tmp_path):
    return read_gold(write(tmp_path / "train.json"))


@pytest.fixture
def source():
    """Without a store."""
    return Source(None, RetrievalSettings(chunk_size=80), "word overlap", word_overlap, threshold=0.5)
