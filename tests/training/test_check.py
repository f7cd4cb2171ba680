"""The check of an adapter, on the tiny model with an adapter that knows one reply."""

import json

import pytest
import torch
from peft import PeftModel

from system.graph.records import Label
from system.models.chat import ChatTokenizer
from system.models.constraints import closed_replies
from system.strategies.steps.tasks.judge_claim import LabelClaim, LabelReply
from system.tasks.base import Adapter
from tests.helpers.tiny_training import write_lines
from training import TrainingError
from training.__main__ import main
from training.check import Plan, check, example_tasks
from training.finetuning.base import Precision, load_base

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


REPLY = '{"justification":"He is one of its speakers.","label":"Refuted"}'


def learnt_by_heart(folder, base, start, prompts, reply, counted):
    """An adapter that has learnt the counted tokens of one reply."""
    model = PeftModel.from_pretrained(load_base(base, Precision.FLOAT32), start, is_trainable=True)
    wanted = [token if place in counted else -100 for place, token in enumerate(reply)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(40):
        for prompt in prompts:
            ids, labels = torch.tensor([[*prompt, *reply]]), torch.tensor([[*[-100] * len(prompt), *wanted]])
            model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(str(folder))


@pytest.fixture(scope="module")
def adapter(tiny_model, tmp_path_factory):
    """With the record of a training."""
    folder, base = tmp_path_factory.mktemp("adapter"), str(tiny_model / "base")
    chat = ChatTokenizer(base, 4096)
    prompts = [chat.prompt(task, True).ids for task in example_tasks(Adapter.VERDICT_PREDICTION, 3)]
    reply = [*chat.tokenizer(REPLY, add_special_tokens=False)["input_ids"], chat.tokenizer.eos_token_id]
    learnt_by_heart(folder, base, tiny_model / "verdict_prediction", prompts, reply, range(len(reply)))
    record = {"task": "verdict", "adapter": "verdict_prediction", "data": ["verdict_prediction"]}
    (folder / "training.json").write_text(json.dumps(record | {"base": base, "context": 4096, "seed": 1}))
    return folder


@pytest.fixture
def label_adapter(tiny_model, tmp_path, data, lines, verdicts, chat):
    """With the record of a training, and its data."""
    folder, base = tmp_path / "labels", str(tiny_model / "base")
    closed = closed_replies(LabelReply, chat.tokenizer)
    reply = [*closed.forced, closed.tokens[list(closed.replies).index(Label.REFUTED)]]
    prompts = [chat.prompt(task, True).ids for task in example_tasks(Adapter.VERDICT_PREDICTION, 3, labels=True)]
    learnt_by_heart(folder, base, tiny_model / "verdict_prediction", prompts, reply, [len(reply) - 1])
    record = {"task": "labels", "adapter": "verdict_prediction", "data": ["labels"]}
    (folder / "training.json").write_text(json.dumps(record | {"base": base, "context": 4096, "seed": 1}))
    tasks = [(LabelClaim(claim=task.claim, pairs=task.pairs), LabelReply(label=r.label)) for task, r in verdicts()]
    write_lines(data / "labels.jsonl", lines(tasks))
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


@pytest.mark.parametrize("backend", ["transformers", pytest.param("vllm", marks=pytest.mark.vllm)])
def test_labels_are_compared_at_the_deciding_position(backend, tiny_model, label_adapter, data):
    if backend == "vllm":
        pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    found = check(Plan(label_adapter, backend, str(tiny_model / "base"), data, count=3))
    assert found.samples == ['{"label":"Refuted"}'] * 3
    assert found.answered == found.agreement == 1 > found.without
    assert found.valid is None and "without a schema" not in str(found)
    assert found.loss > 0


def test_rejects_an_adapter_of_another_base(adapter, maker, tmp_path, data, capsys):
    other = tmp_path / "other"
    tokenizer = maker.make_tokenizer()
    config = maker.make_base(tokenizer).config
    config.intermediate_size = 384
    type(maker.make_base(tokenizer))(config).save_pretrained(str(other))
    tokenizer.save_pretrained(str(other))
    assert main(["check", str(adapter), "--data", str(data), "--model", str(other), "--backend", "transformers"]) == 2
    assert "train or give one for this base model" in capsys.readouterr().err


def test_names_a_folder_that_no_training_wrote(tiny_model, data):
    with pytest.raises(TrainingError, match=r"training\.json not found"):
        check(Plan(tiny_model / "verdict_prediction", "transformers", str(tiny_model / "base"), data, count=1))
