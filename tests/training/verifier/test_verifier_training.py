import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

import system.verifier
from system.verifier.batching import softmax
from system.verifier.openvino import OpenVinoVerifier
from training import TrainingError
from training.__main__ import main
from training.verifier.pairs import Pair, read_sets, split
from training.verifier.sampling import plan_batches
from training.verifier.training import Recipe, load_base

BUNDLE = Path(system.verifier.__file__).parent / "minilm"

FACTS = [
    (
        "The {} bridge was opened in 1987 and carries 4,200 cars a day.",
        "The {} bridge was opened in 1987.",
        "supported",
    ),
    ("The {} bridge was opened in 1987 and carries 4,200 cars a day.", "The {} bridge was opened in 1901.", "refuted"),
    ("The {} bridge was opened in 1987 and carries 4,200 cars a day.", "The {} bridge is painted green.", "not enough"),
]
NAMES = ["Elbe", "Aller", "Weser", "Oder", "Spree", "Havel", "Saale", "Mulde", "Neisse"]
SIDES = ["old", "new", "long", "low", "high", "red", "main", "last", "first", "wide", "small", "dark", "far", "near"]


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    folder = tmp_path / "sets"
    folder.mkdir()
    rows = [
        {"evidence": evidence.format(name), "claim": claim.format(name), "label": label, "source": "fever_eraser"}
        for name in [f"{side} {name}" for name in NAMES for side in SIDES]
        for evidence, claim, label in FACTS
    ]
    (folder / "facts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz.,0123456789", "the", "bridge"]
    words += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=512).save_pretrained(folder)
    sizes = {"hidden_size": 128, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 128}
    BertModel(BertConfig(vocab_size=len(words), **sizes)).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_trains_stops_resumes_and_bundles(
    tmp_path: Path, sets: Path, base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.nice", lambda _: 0)  # which would hold for the tests that follow
    output, bundle = tmp_path / "out", tmp_path / "bundle"
    arguments = [
        "verifier",
        "--sets",
        str(sets),
        "--base",
        str(base),
        "--output",
        str(output),
        "--saves",
        "2",
        "--epochs",
        "2",
    ]
    assert main(arguments) == 0
    checkpoints = sorted((output / "checkpoints").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    assert len(checkpoints) == 2
    shutil.rmtree(checkpoints[-1])  # as if it had been stopped before
    assert main([*arguments, "--bundle", str(bundle), "--average", "2"]) == 0
    state = json.loads((checkpoints[-1] / "trainer_state.json").read_text())
    first = json.loads((checkpoints[0] / "trainer_state.json").read_text())
    assert state["global_step"] > first["global_step"]
    assert any("eval_held_out" in entry for entry in state["log_history"])
    card = (bundle / "README.md").read_text()
    assert "contrast_fever" in card and "| fever_eraser |" in card
    assert OpenVinoVerifier(bundle).probabilities([("The Elbe bridge.", "It is green.")]).shape == (1, 3)
    assert main([*arguments[:-1], "3"]) == 2
    assert "epochs was 2.0, now 3.0" in capsys.readouterr().err


def test_a_group_lies_in_one_batch_within_the_budget() -> None:
    groups = [f"group {index // 5}" for index in range(500)]
    lengths = [20 + index // 5 for index in range(500)]
    batches = plan_batches(lengths, groups, 1024, epochs=2, seed=1)
    assert sorted(index for batch in batches for index in batch) == sorted([*range(500)] * 2)
    for batch in batches:
        assert len(batch) * max(lengths[index] for index in batch) <= 1024
        assert all(
            len({batch.count(member) for member in range(5 * (index // 5), 5 * (index // 5) + 5)}) == 1
            for index in batch
        )
    assert batches == plan_batches(lengths, groups, 1024, epochs=2, seed=1)


def test_half_an_epoch_takes_half_of_the_groups() -> None:
    batches = plan_batches([10] * 100, [""] * 100, 100, epochs=0.5, seed=1)
    taken = [index for batch in batches for index in batch]
    assert len(taken) == len(set(taken)) == 50


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"evidence": "a", "claim": "b", "label": "entailment"}',
            r"one of supported, refuted, not enough; got label 'entailment'",
        ),
        ('{"evidence": "a"', "facts.jsonl, line 1: not JSON"),
        ("[1]", "expected an object, got list"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "facts.jsonl").write_text(line)
    with pytest.raises(TrainingError, match=message):
        list(read_sets(tmp_path))


def test_no_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verifier"]) == 2 and main(["verifier", "--sets", str(tmp_path)]) == 2
    assert "--sets is missing" in capsys.readouterr().err


def test_held_out_goes_by_passage() -> None:
    pairs = [
        Pair(f"Passage {index // 3}.", f"Statement {index}.", "supported", "s", group=f"Passage {index // 3}.")
        for index in range(900)
    ]
    held_out = [pair for pair in pairs if pair.held_out]
    assert 5 < len({pair.group for pair in held_out}) < 20
    assert len(held_out) == 3 * len({pair.group for pair in held_out})


def test_a_held_out_passage_under_another_title_is_dropped() -> None:
    texts = [f"The river rose by {number} metres in May." for number in range(400)]
    pairs = [Pair(text, "It rose.", "supported", "s", group=text) for text in texts]
    titled = [Pair(f"Elbe: {text}", "It rose.", "supported", "s", group=f"Elbe: {text}") for text in texts]
    alone, both = split(pairs)[1], split([*pairs, *titled])[1]
    assert len(alone) > 5 and not both  # one in thirty is held out by itself; none under both titles


@pytest.mark.slow
def test_training_may_start_from_the_weights_of_a_bundle() -> None:
    pairs = [(evidence.format("Elbe"), claim.format("Elbe")) for evidence, claim, _ in FACTS]
    trained = load_base(str(BUNDLE), Recipe())
    logits = trained.predict(pairs, activation_fn=torch.nn.Identity())
    config = json.loads((BUNDLE / "verifier.json").read_text())
    calibrated = softmax(logits * config["scale"] + np.array(config["bias"], np.float32))
    np.testing.assert_allclose(calibrated, OpenVinoVerifier(BUNDLE).probabilities(pairs), atol=0.1)
