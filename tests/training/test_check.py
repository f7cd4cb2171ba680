"""The check of an adapter, on the tiny model with an adapter that knows one reply."""

import json

import pytest
import torch
from peft import PeftModel

from system.models.chat import ChatTokenizer
from system.tasks.base import Adapter
from training import TrainingError
from training.__main__ import main
from training.check import Plan, check, example_tasks
from training.finetuning.base import load_base
from training.finetuning.memory import Precision

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


REPLY = '{"justification":"He is one of its speakers.","label":"Refuted"}'


@pytest.fixture(scope="module")
def adapter(tiny_model, tmp_path_factory):
    """An adapter that has learnt one reply by heart, with the record of a training."""
    folder, base = tmp_path_factory.mktemp("adapter"), str(tiny_model / "base")
    chat = ChatTokenizer(base, 4096)
    prompts = [chat.prompt(task, True).ids for task in example_tasks(Adapter.VERDICT_PREDICTION, 3)]
    reply = [*chat.tokenizer(REPLY, add_special_tokens=False)["input_ids"], chat.tokenizer.eos_token_id]
    model = PeftModel.from_pretrained(
        load_base(base, Precision.FLOAT32), tiny_model / "verdict_prediction", is_trainable=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(40):
        for prompt in prompts:
            ids, labels = torch.tensor([[*prompt, *reply]]), torch.tensor([[*[-100] * len(prompt), *reply]])
            model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(str(folder))
    record = {"task": "verdict", "adapter": "verdict_prediction", "data": ["verdict_prediction"]}
    (folder / "training.json").write_text(json.dumps(record | {"base": base, "context": 4096, "seed": 1}))
    return folder


@pytest.mark.parametrize("backend", ["transformers", pytest.param("vllm", marks=pytest.mark.vllm)])
def test_the_engine_agrees_with_peft_only_with_the_adapter(backend, adapter, tiny_model, data):
    if backend == "vllm":
        pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    found = check(Plan(adapter, backend, str(tiny_model / "base"), data, count=3))
    assert found.samples == [REPLY] * 3
    assert found.agreement > 0.95 > found.without  # an adapter that the engine did not apply turns this round
    assert 0 <= found.valid <= 1 and found.loss > 0
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
