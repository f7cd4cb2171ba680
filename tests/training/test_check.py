"""The check of an adapter: a tiny model that has been taught replies by heart, and a script in place of the engine."""

import os
from dataclasses import replace

import orjson
import pytest

from system.averitec.gold import read_gold
from system.models.base import ErrorKind, ModelError
from system.models.prompting import ChatTokenizer
from system.strategies.steps.tasks import VerdictReply
from system.tasks.base import Adapter
from tests.helpers.scripted import ScriptedModel
from training import check as module
from training.__main__ import main
from training.check import EXAMPLES, example_tasks
from training.datasets.leakage import HeldOut
from training.datasets.samples import DataSet, Drops, Making, Sample, write_data_set
from training.finetuning.recipes import RECIPES
from training.finetuning.training import Job, train

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

BY_HEART = replace(
    RECIPES["verdict"], dropout=0.0, epochs=60.0, batch=4, learning_rate=5e-3, context=4096, patience=99
)  # rank, alpha and layers are the real ones; the rest is what learning by heart needs on a tiny random model
LEARNED = 8  # example claims
SEED = 6  # holds out the claim after them

# One justification for all, so that every update is about the labels.
REPLIES = [VerdictReply(justification="By heart.", label=one.label) for one in read_gold(EXAMPLES)[:LEARNED]]


@pytest.fixture(scope="module")
def adapter(tiny_model, tmp_path_factory):
    """An adapter that a training has taught the labels of the first example claims."""
    folder, base = tmp_path_factory.mktemp("adapter"), str(tiny_model / "base")
    tasks = example_tasks(Adapter.VERDICT_PREDICTION, LEARNED)
    samples = [Sample("", reply.label, task, reply, "") for task, reply in zip(tasks, REPLIES, strict=True)]
    making = Making(folder, ChatTokenizer(base, BY_HEART.context), HeldOut(()), {})
    write_data_set(DataSet("verdict_prediction", samples, Drops(), {}), making)
    with (folder / "verdict_prediction.jsonl").open("r+b") as file:  # a learned claim is held out, so all are learned
        first = orjson.loads(file.readline())
        file.seek(0, os.SEEK_END)
        file.write(orjson.dumps(first | {"claim_id": LEARNED}))
    train(Job("verdict", BY_HEART, base, folder, folder / "adapter", seed=SEED))
    return folder / "adapter"


@pytest.fixture
def checked(adapter, monkeypatch):
    """The command, with a script in place of the engine."""

    def run(script):
        monkeypatch.setattr(module, "load_model", lambda settings, asked: ScriptedModel(script))
        return main(["check", str(adapter), "--profile", "server", "--count", str(LEARNED)])

    return run


def share(said, line):
    return float(said.partition(line)[2].split()[0].strip("%)"))


def test_the_engine_agrees_with_peft_only_with_the_adapter(checked, capsys):
    """PEFT writes what was learned, label by label: masks, template and targets of the training are right."""
    assert checked(lambda request: REPLIES[request.task.claim.id]) == 0
    said = capsys.readouterr().out
    assert all(reply.model_dump_json() in said for reply in REPLIES)
    assert share(said, "usable engine replies") == 100
    assert share(said, "engine tokens that PEFT writes too") == 100
    assert share(said, "the base alone:") < 95


def test_names_what_is_wrong(checked, capsys, tiny_model):
    assert checked(lambda request: ModelError(ErrorKind.BACKEND, "it is gone")) == 2
    assert f"the engine gave no reply to {LEARNED} requests" in capsys.readouterr().err
    assert main(["check", str(tiny_model / "verdict_prediction"), "--profile", "server"]) == 2
    assert "training.json cannot be read" in capsys.readouterr().err
