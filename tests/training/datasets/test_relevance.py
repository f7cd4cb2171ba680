"""Passages are scored for queries."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from training import TrainingError
from training.datasets.evidence import bi_encoder, cross_encoder

QUERIES, PASSAGES = ["when did it open", "it opened"], ["it did open", "a mill", "when it opened"]


def write_cross_encoder(folder: Path, outputs: int) -> str:
    """A tiny cross-encoder with random weights."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted({w for t in QUERIES + PASSAGES for w in t.split()})]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(words))
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"))
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=outputs,
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return str(folder)


def test_a_cross_encoder_gives_the_probability_of_each_pair(tmp_path: Path) -> None:
    name = write_cross_encoder(tmp_path / "one", outputs=1)
    found = cross_encoder(name)(QUERIES, PASSAGES)
    model = BertForSequenceClassification.from_pretrained(name).eval()
    tokenizer = BertTokenizerFast.from_pretrained(name)
    with torch.inference_mode():
        expected = [
            [model(**tokenizer(q, p, return_tensors="pt")).logits.sigmoid().item() for p in PASSAGES] for q in QUERIES
        ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert np.ptp(found) > 0.01


def test_rejects_a_classifier(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="has 3 outputs; give a cross-encoder with one output"):
        cross_encoder(write_cross_encoder(tmp_path / "three", outputs=3))


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
