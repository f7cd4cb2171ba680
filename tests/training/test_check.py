"""The check of an adapter, on the tiny model with an adapter that knows one reply, and a script for the engine."""

import json
from pathlib import Path

import pytest
import torch
from peft import PeftModel

from system.models.base import ErrorKind, ModelError
from system.models.prompting import ChatTokenizer
from system.models.scripted import ScriptedModel
from system.tasks.base import Adapter
from training import check as module
from training.__main__ import main
from training.check import example_tasks
from training.finetuning.base import Precision, load_base

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

REPLY = '{"justification":"He is one of its speakers.","label":"Refuted"}'


@pytest.fixture(scope="module")
def adapter(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter that has learnt one reply by heart, with the record of a training."""
    folder, base = tmp_path_factory.mktemp("adapter"), str(tiny_model / "base")
    start = tiny_model / "verdict_prediction"
    chat = ChatTokenizer(base, 4096)
    prompts = [chat.prompt(task, True).ids for task in example_tasks(Adapter.VERDICT_PREDICTION, 3)]
    reply = [*chat.tokenizer(REPLY, add_special_tokens=False)["input_ids"], chat.tokenizer.eos_token_id]
    model = PeftModel.from_pretrained(load_base(base, Precision.FLOAT32), start, is_trainable=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(40):
        for prompt in prompts:
            ids, labels = torch.tensor([[*prompt, *reply]]), torch.tensor([[*[-100] * len(prompt), *reply]])
            model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(str(folder))
    record = {"task": "verdict", "adapter": "verdict_prediction", "data": "verdict_prediction", "base": base}
    (folder / "training.json").write_text(json.dumps({**record, "context": 2048, "micro_batch": 1, "seed": 1}))
    return folder


def checked(adapter: Path, monkeypatch: pytest.MonkeyPatch, script: object, *options: str) -> int:
    """The command, with a script in place of the engine."""
    monkeypatch.setattr(module, "load_model", lambda settings, asked: ScriptedModel(script))
    return main(["check", str(adapter), "--profile", "server", "--count", "3", *options])


def share(said: str, line: str) -> float:
    return float(said.partition(line)[2].split()[0].strip("%)"))


def test_the_engine_agrees_with_peft_only_with_the_adapter(adapter, monkeypatch, capsys) -> None:
    assert checked(adapter, monkeypatch, lambda request: REPLY) == 0
    said = capsys.readouterr().out
    assert said.count(REPLY) == 3 and share(said, "usable engine replies") == 100
    assert share(said, "engine tokens that PEFT writes too") > 95 > share(said, "the base alone:")


def test_names_what_is_wrong(adapter, monkeypatch, capsys, tiny_model) -> None:
    assert checked(adapter, monkeypatch, lambda request: ModelError(ErrorKind.BACKEND, "it is gone")) == 2
    assert "the engine gave no reply to 3 requests" in capsys.readouterr().err
    assert main(["check", str(tiny_model / "verdict_prediction"), "--profile", "server"]) == 2
    assert "training.json cannot be read" in capsys.readouterr().err
