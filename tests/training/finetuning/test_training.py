"""Trainings of the tiny model: what they leave, how they go on, and what stops them."""

import errno
import json
import shutil
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file
from transformers import Trainer, TrainerCallback

from training import TrainingError
from training.__main__ import main
from training.finetuning import training as module
from training.finetuning.recipes import RECIPES
from training.finetuning.training import Job, last_checkpoint, open_folder, read_record, train

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

SETTINGS = {"task": "qg", "examples": {"train": 3}, "epochs": 2.0}
SHORT = replace(RECIPES["verdict"], epochs=3.0, batch=4, learning_rate=5e-3, context=2048, patience=99)


@pytest.fixture
def job(tiny_model, data):
    return Job("verdict", SHORT, str(tiny_model / "base"), data, data / "adapter", seed=3)


def weights(folder):
    return load_file(folder / "adapter_model.safetensors")


def test_a_training_lowers_the_loss_and_leaves_its_files(job, capsys):
    train(job)
    said = capsys.readouterr().out
    assert "15 train, 1 held out, 0 left out as too long" in said
    record = json.loads((job.output / "training.json").read_text())
    card = (job.output / "README.md").read_text()
    assert record["sha256"] in card and "`verdict_prediction`" in card
    assert "| rank | 16 |" in card and "| update 12 |" in card
    assert list((job.output / "logs").glob("events.*"))
    before, after = (float(card.split(mark)[1].split()[0]) for mark in ("held-out loss ", " before, "))
    assert after < 0.8 * before
    train(job)
    assert "is trained already" in capsys.readouterr().out


def test_a_stopped_training_resumes_to_the_same_weights(job, monkeypatch):
    class Stop(TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            if state.global_step == 7:
                raise KeyboardInterrupt

    whole = replace(job, output=job.data / "whole")
    train(whole)
    build = module.build_trainer

    def stopping(*arguments):
        trainer = build(*arguments)
        trainer.add_callback(Stop())
        return trainer

    monkeypatch.setattr(module, "build_trainer", stopping)
    with pytest.raises(KeyboardInterrupt):
        train(job)
    monkeypatch.setattr(module, "build_trainer", build)
    train(job)
    expected, found = weights(whole.output), weights(job.output)
    assert expected.keys() == found.keys()
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor)


def test_a_full_disk_is_named_and_what_was_saved_is_kept(job, monkeypatch):
    save = Trainer._save_optimizer_and_scheduler
    saved = []

    def fills_up(self, folder):
        if saved:
            raise OSError(errno.ENOSPC, "No space left on device")
        saved.append(folder)
        save(self, folder)

    monkeypatch.setattr(Trainer, "_save_optimizer_and_scheduler", fills_up)
    with pytest.raises(TrainingError, match=r"adapter: cannot be written .*No space left.* the same command again"):
        train(job)
    monkeypatch.setattr(Trainer, "_save_optimizer_and_scheduler", save)
    assert len(list((job.output / "checkpoints").glob("checkpoint-*"))) == 2
    train(job)
    assert weights(job.output)


def test_the_moderator_learns_from_its_supervised_adapter(tiny_model, write_samples, tmp_path, recwarn):
    write_samples("moderator_preferences", count=8, preferences=True)
    recipe = replace(RECIPES["moderator-dpo"], epochs=3.0, batch=4, learning_rate=1e-3, context=2048)
    start = shutil.copytree(tiny_model / "verdict_prediction", tmp_path / "start")
    config = json.loads((start / "adapter_config.json").read_text())
    (start / "adapter_config.json").write_text(json.dumps(config | {"base_model_name_or_path": "elsewhere"}))
    output = tmp_path / "dpo"
    train(Job("moderator-dpo", recipe, str(tiny_model / "base"), tmp_path, output, start, seed=3))
    assert not [warning for warning in recwarn if "elsewhere" in str(warning.message)]  # not looked for on the hub
    # The preference margin on the held-out examples, in nats by which the chosen reply is likelier, over the training.
    history = json.loads((last_checkpoint(output) / "trainer_state.json").read_text())["log_history"]
    margins = [entry["eval_rewards/margins"] for entry in history if "eval_rewards/margins" in entry]
    assert margins[0] == pytest.approx(0.0, abs=1e-3)
    assert margins[-1] > 0.1
    assert weights(start).keys() == weights(output).keys()
    assert not (output / "ref").exists()


def test_rejects_a_quantized_base_and_names_the_command(tiny_model, data, capsys):
    options = ["train", "--task", "verdict", "--base", str(tiny_model / "awq"), "--data", str(data)]
    assert main([*options, "--output", str(data / "adapter")]) == 2
    assert "python -m training dequantize" in capsys.readouterr().err
    assert not (data / "adapter").exists()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--task", "qg"], "question_generation.jsonl: no data set to train on"),
        (["--task", "verdict", "--epochs", "0"], 'Invalid value "0.0" for --epochs. Must be > 0.'),
        (["--task", "verdict", "--from-adapter", "x"], "x: no adapter to continue from; give the folder of one with"),
        (["--task", "moderator-dpo", "--from-adapter", "x"], "x: no adapter to continue from"),
        (["--task", "verdict", "--context", "100"], "all 16 examples are longer than 100 tokens"),
    ],
)
def test_names_bad_input(tiny_model, data, capsys, options, fault):
    command = ["train", "--base", str(tiny_model / "base"), "--data", str(data), "--output", str(data / "adapter")]
    assert main([*command, *options]) == 2
    assert fault in capsys.readouterr().err


def test_another_training_is_named(tmp_path):
    open_folder(tmp_path, SETTINGS)
    open_folder(tmp_path, SETTINGS)
    assert read_record(tmp_path) == SETTINGS
    with pytest.raises(TrainingError, match=r"epochs was 2\.0, now 3\.0; give another --output"):
        open_folder(tmp_path, SETTINGS | {"epochs": 3.0})


def test_skips_and_removes_a_truncated_checkpoint(tmp_path):
    assert last_checkpoint(tmp_path) is None
    for step, state in ((9, "{}"), (10, "{}"), (11, '{"epoch'), (12, None)):
        folder = tmp_path / "checkpoints" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        if state:
            (folder / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path).name == "checkpoint-10"
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["checkpoint-10", "checkpoint-9"]
