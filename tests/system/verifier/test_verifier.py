import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

import system.verifier
from knowledge_store.turns import Turns
from system.verifier import reading as reading_module
from system.verifier.base import Reading, Verifier, VerifierUnavailable
from system.verifier.batching import Batch, Encoded, judge
from system.verifier.loading import BUNDLED, load_verifier
from system.verifier.openvino import OpenVinoVerifier
from system.verifier.reading import DECISION, FEATURES

BUNDLE = Path(system.verifier.__file__).parent / BUNDLED
PASSAGE = "The bridge was opened in 1987. It carries 4,200 cars a day."


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return load_verifier()


@pytest.mark.parametrize(
    ("statement", "reading"),
    [
        ("The bridge was opened in 1987.", Reading.SUPPORTED),
        ("The bridge was not opened in 1987.", Reading.REFUTED),
        ("The bridge was paid for by a shipping company.", Reading.NOT_ENOUGH),
    ],
)
def test_columns_are_supported_refuted_not_enough(verifier: Verifier, statement: str, reading: Reading) -> None:
    found = verifier.probabilities([(PASSAGE, statement)])
    assert found.shape == (1, 3) and found.dtype == np.float32
    assert found[0].argmax() == reading and found.sum() == pytest.approx(1)


def test_a_batch_gives_what_each_pair_gives(verifier: Verifier) -> None:
    pairs = [(PASSAGE * repeat, "Each day 4,200 cars cross the bridge.") for repeat in (1, 5, 2, 12, 1)]
    alone = np.concatenate([verifier.probabilities([pair]) for pair in pairs])
    assert np.allclose(verifier.probabilities(pairs), alone, atol=0.02)  # 8 bits round by batch


def test_no_batch_is_large() -> None:
    """So that no claim holds the verifier for long."""
    sizes: list[tuple[int, ...]] = []

    def logits(batch: Batch) -> NDArray[np.float32]:
        sizes.append(batch[0].shape)
        return np.zeros((len(batch[0]), len(Reading)), np.float32)

    pairs = [("passage", "x" * length) for length in [64] * 5 + [256, 500]]
    judge(pairs, lambda _, statement: Encoded([1] * len(statement), [0] * len(statement)), logits, Turns("test"), 0)
    assert sizes == [(4, 64), (1, 64), (1, 256), (1, 500)]


def test_a_statement_too_long_to_be_read_beside_a_passage_is_not_enough(verifier: Verifier) -> None:
    numbers = " ".join(map(str, range(1000, 1200)))
    short, long = verifier.probabilities([(PASSAGE, "It was opened in 1987."), (PASSAGE, f"They are {numbers}.")])
    assert short[Reading.SUPPORTED] > 0.5 and long.tolist() == [0, 0, 1]


def test_threads_share_a_verifier(verifier: Verifier) -> None:
    pairs = [(PASSAGE, f"It carries {count} cars a day.") for count in (10, 4200, 9000)]
    expected = verifier.probabilities(pairs)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: verifier.probabilities(pairs), range(12)):
            assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("passage", "statement"),
    [("", "A statement."), ("  \n", "A statement."), (PASSAGE, ""), (PASSAGE, "word " * 20_000), ("", "")],
)
def test_what_cannot_be_read_is_not_enough(verifier: Verifier, passage: str, statement: str) -> None:
    assert verifier.probabilities([(passage, statement)]).tolist() == [[0, 0, 1]]


@pytest.mark.parametrize(
    ("passage", "statement"),
    [
        (PASSAGE, "x" * 100_000),
        (PASSAGE * 2000, "The bridge was opened in 1987."),
        ("a \ud800 b", "\udfff"),
        ("🙂", "東京"),
    ],
)
def test_odd_texts_are_read(verifier: Verifier, passage: str, statement: str) -> None:
    assert verifier.probabilities([(passage, statement)]).sum() == pytest.approx(1)


def test_no_pairs_give_no_rows(verifier: Verifier) -> None:
    assert verifier.probabilities([]).shape == (0, 3)


def test_a_long_passage_is_cut_the_statement_not(verifier: Verifier) -> None:
    filler = "Cars pass. " * 400
    start, end = verifier.probabilities(
        [(PASSAGE + filler, "It was opened in 1987."), (filler + PASSAGE, "It was opened in 1987.")]
    )
    assert start[Reading.SUPPORTED] > end[Reading.SUPPORTED]
    long = "The bridge was opened in 1987. " * 20
    assert verifier.probabilities([(PASSAGE, long)])[0, Reading.NOT_ENOUGH] < 1


@pytest.mark.parametrize("name", ["verifier.xml", "verifier.bin", "tokenizer.json", "verifier.json"])
@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_damaged_bundle_is_one_clear_sentence(tmp_path: Path, name: str, damage: str) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(BUNDLE, folder)
    file = folder / name
    content = file.read_bytes()
    file.unlink()
    if damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    with pytest.raises(VerifierUnavailable, match=r"verifier .*bundle: cannot be read \(.+\); expected"):
        OpenVinoVerifier(folder)


def pair_model(folder: Path, labels: list[str]) -> str:
    """A tiny sentence-pair model whose third column always wins."""
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *["the", "bridge", "was", "opened", "in", "1987", "."]]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=64, id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.arange(len(labels)))
    model.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize(
    ("labels", "winner"),
    [
        (["contradiction", "neutral", "entailment"], Reading.SUPPORTED),
        (["SUPPORTS", "NOT ENOUGH INFO", "REFUTES"], Reading.REFUTED),
        (["Supported", "Refuted", "not_enough_evidence"], Reading.NOT_ENOUGH),
    ],
)
def test_any_pair_model_by_its_labels(tmp_path: Path, labels: list[str], winner: Reading) -> None:
    model = load_verifier(pair_model(tmp_path / "model", labels))
    found = model.probabilities([("The bridge.", "It was opened."), ("", "It."), ("The bridge " * 500, "was " * 500)])
    assert found[0].argmax() == winner
    assert found[1:].tolist() == [[0, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1", "LABEL_2"], ["entailment", "not_entailment"]])
def test_other_labels_are_refused_by_name(tmp_path: Path, labels: list[str]) -> None:
    with pytest.raises(VerifierUnavailable, match=rf"its labels are {', '.join(labels)}; expected three"):
        load_verifier(pair_model(tmp_path / "model", labels))


def test_a_damaged_pair_model_is_refused(tmp_path: Path) -> None:
    name = pair_model(tmp_path / "model", ["entailment", "neutral", "contradiction"])
    weights = Path(name, "model.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(VerifierUnavailable, match=r"cannot be loaded \(.+\); give 'minilm'"):
        load_verifier(name)


def test_no_such_verifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(VerifierUnavailable, match="cannot be loaded"):
        load_verifier(str(tmp_path / "none"))


def test_bundle_says_its_labels_and_licence() -> None:
    assert json.loads((BUNDLE / "verifier.json").read_text())["labels"] == ["supported", "refuted", "not enough"]
    assert "cc-by-nc-4.0" in (BUNDLE / "README.md").read_text()
    assert sum(file.stat().st_size for file in BUNDLE.iterdir()) < 50 * 2**20


@pytest.mark.parametrize(
    "value", [{"scale": "nan"}, {"scale": -1}, {"bias": [0, None, 0]}, {"tokens": 0}, {"tokens": 9999}]
)
def test_odd_values_of_a_bundle_are_refused(tmp_path: Path, value: dict[str, object]) -> None:
    shutil.copytree(BUNDLE, tmp_path / "bundle")
    config = json.loads((BUNDLE / "verifier.json").read_text(encoding="utf-8"))
    (tmp_path / "bundle" / "verifier.json").write_text(json.dumps(config | value))
    with pytest.raises(
        VerifierUnavailable, match=r"cannot be read \(verifier.json: expected tokens up to 512, a scale"
    ):
        OpenVinoVerifier(tmp_path / "bundle")


DECIDED = json.loads(DECISION.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("part", "value", "fault"),
    [
        ("weights", [[None] * len(FEATURES)] * 3, "weights and bias: expected finite numbers"),
        ("weights", [["nan"] * len(FEATURES)] * 3, "weights and bias: expected finite numbers"),
        ("bias", [None] * 3, "weights and bias: expected finite numbers"),
        ("weights", [[1] * 5] * 3, f"expected weights of {len(FEATURES)} features"),
        *(("sure", value, "sure: expected two prob") for value in ([5, 5], [-1, -1], "12", ["nan", "nan"], [1], None)),
    ],
)
def test_a_damaged_decision_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, value: object, fault: str
) -> None:
    (tmp_path / "decision.json").write_text(json.dumps(DECIDED | {part: value}))
    monkeypatch.setattr(reading_module, "DECISION", tmp_path / "decision.json")
    monkeypatch.setattr(reading_module, "load_verifier", lambda _: None)
    with pytest.raises(VerifierUnavailable, match=rf"decision.json: {fault}.*; install the package again"):
        reading_module.load_reader(str(tmp_path))  # a name of its own, since readers are kept by name
