"""Training a label alone, on the tiny model."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM

from system.graph.records import Label
from system.strategies.steps.tasks.judge_claim import LabelClaim, LabelReply
from training.finetuning.base import Precision
from training.finetuning.examples import Demonstration, Split
from training.finetuning.recipes import RECIPES
from training.finetuning.trainers import build_trainer, labels_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
RECIPE = replace(RECIPES["labels"], start="", first_layer=1, epochs=40.0, micro_batch=4, batch=4, learning_rate=5e-3)


@pytest.fixture
def examples(verdicts, lines):
    tasks = [LabelClaim(claim=task.claim, pairs=task.pairs) for task, _ in verdicts()]
    replies = [LabelReply(label=label) for label in list(Label) * 4]
    return [Demonstration.model_validate(line) for line in lines(zip(tasks, replies, strict=True))]


@pytest.fixture
def trainer(tiny_model, chat, examples, tmp_path):
    base = AutoModelForCausalLM.from_pretrained(tiny_model / "base")
    return build_trainer(base, chat, Split(examples[:4], examples[:4]), RECIPE, Precision.FLOAT32, tmp_path, seed=1)


def test_the_loss_is_the_whole_models_where_it_decides(trainer, chat, examples):
    closed = labels_of(chat)
    places = [reply.model_dump_json() for reply in closed.replies.values()]
    batch = next(iter(trainer.get_eval_dataloader()))
    loss = trainer.compute_loss(trainer.model.eval(), batch).item()
    expected = []
    for example in examples[:4]:
        ids = torch.tensor([chat.encode(example.prompt) + closed.forced])
        with torch.no_grad():
            logits = trainer.model(ids).logits[0, -1, closed.tokens]
        expected.append(-torch.log_softmax(logits, -1)[places.index(example.reply)].item())
    assert loss == pytest.approx(sum(expected) / 4, rel=1e-4)


def test_balance_adds_log_frequencies_in_training_alone(tiny_model, chat, examples, tmp_path):
    base = AutoModelForCausalLM.from_pretrained(tiny_model / "base")
    recipe, split = replace(RECIPE, balance=0.4), Split(examples[:6], examples[:4])  # two labels twice, two once
    trainer = build_trainer(base, chat, split, recipe, Precision.FLOAT32, tmp_path, seed=1)
    batch = next(iter(trainer.get_eval_dataloader()))
    loss, outputs = trainer.compute_loss(trainer.model.eval(), batch, return_outputs=True)
    frequencies = torch.bincount(batch["labels"].new_tensor(trainer.train_dataset["labels"]), minlength=4) / 6
    assert sorted(frequencies.tolist()) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3])
    shifted = outputs["logits"] + 0.4 * frequencies.log()
    assert loss.item() == pytest.approx(torch.nn.functional.cross_entropy(shifted, batch["labels"]).item(), rel=1e-5)
    assert loss.item() != pytest.approx(torch.nn.functional.cross_entropy(outputs["logits"], batch["labels"]).item())


def test_memorizes_labels_in_the_trainable_layers(trainer):
    before = trainer.evaluate()["eval_loss"]
    trainer.train()
    after = trainer.evaluate()
    changed = {name for name, weight in trainer.model.named_parameters() if "lora_B" in name and weight.abs().sum() > 0}
    assert after["eval_loss"] < 0.3 * before and after["eval_accuracy"] == 1.0
    assert changed and all(".layers.1." in name for name in changed)


def test_a_new_adapter_depends_only_on_the_seed(tiny_model, chat, examples, tmp_path):
    def new_weights(seed):
        base = AutoModelForCausalLM.from_pretrained(tiny_model / "base")
        split = Split(examples[:4], examples[:4])
        model = build_trainer(base, chat, split, RECIPE, Precision.FLOAT32, tmp_path, seed).model
        return torch.cat([weight.flatten() for name, weight in model.named_parameters() if "lora_A" in name])

    first = new_weights(seed=1)
    torch.rand(3)  # whatever was drawn before
    assert torch.equal(first, new_weights(seed=1)) and not torch.equal(first, new_weights(seed=2))
