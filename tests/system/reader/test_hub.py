"""A reader of the model hub by its name: a local double of the hub's cache holds a tiny multilingual model."""

import pytest
import torch

from factgraph import FactChecker, Label
from system.reader.base import ReaderUnavailable
from system.reader.hub import HubReader

NAME = "example/multilingual-nli"
CLAIM = "Die Brücke von Aster wurde im Jahr 1932 für den Verkehr geöffnet."
PAGE = {"aster.txt": "Die Brücke von Aster wurde im Mai 1932 für den Verkehr geöffnet. Sie hat zwei Spuren."}


def save_model(folder, *labels):
    """A model that finds the first of its labels, whatever it reads."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    config = BertConfig(vocab_size=6, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    config.id2label = dict(enumerate(labels))
    model = BertForSequenceClassification(config)
    model.classifier.weight.data.zero_()
    model.classifier.bias.data = torch.tensor([4.0, *[0.0] * (len(labels) - 1)])
    model.save_pretrained(folder)
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A cache with a model that finds everything supported, and no way to the network."""
    from huggingface_hub import constants

    folder = tmp_path / f"models--{NAME.replace('/', '--')}"
    save_model(folder / "snapshots" / "0", "entailment", "neutral", "contradiction")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)


@pytest.mark.slow
def test_a_german_claim_is_open_for_the_bundled_reader_and_read_by_one_of_the_hub(hub):
    with FactChecker("laptop") as bundled:
        unread = bundled.check(CLAIM, PAGE)
    with FactChecker("laptop", verifier=NAME) as multilingual:
        read = multilingual.check(CLAIM, PAGE)
    assert unread.verdict.label is Label.NOT_ENOUGH_EVIDENCE and "German" in unread.verdict.justification
    assert read.verdict.label is Label.SUPPORTED and "aster.txt" in read.verdict.justification


def test_a_model_with_other_labels_is_refused(tmp_path):
    save_model(tmp_path, "positive", "negative")
    with pytest.raises(ReaderUnavailable, match="labels are positive, negative; expected three"):
        HubReader(str(tmp_path))
    with pytest.raises(ReaderUnavailable, match="cannot be loaded"):
        HubReader(str(tmp_path / "none"))
