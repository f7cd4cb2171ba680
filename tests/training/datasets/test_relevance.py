"""Passages are scored for queries."""

from pathlib import Path

import numpy as np
import pytest

from training import TrainingError
from training.datasets.evidence import bi_encoder, cross_encoder

QUERIES, PASSAGES = ["when did it open", "it opened"], ["it did open", "a mill", "when it opened"]


def test_rejects_a_folder_without_a_model_and_names_the_fix(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"could not be loaded .* --scorer bi-encoder"):
        cross_encoder(str(tmp_path))


class Axes:
    """Texts that begin with "no" point the other way."""

    dimension = 1

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[-1.0 if text.startswith("no") else 1.0] for text in texts], dtype=np.float32)

    encode_queries = encode


def test_the_bi_encoder_s_cosine_is_never_negative() -> None:
    assert bi_encoder(Axes())(["yes"], ["yes", "no"]).tolist() == [[1.0, 0.0]]
