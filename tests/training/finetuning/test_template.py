"""TRL trains, token for token, on what the engine sends and gets."""

import copy
from pathlib import Path

import pytest
import trl

from training.finetuning.base import Precision, load_base
from training.finetuning.examples import Split, read_examples
from training.finetuning.recipes import RECIPES
from training.finetuning.trainers import build_trainer

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(params=["the tiny model's", "qwen3"])
def chat(request, chat):
    """With the model's own template, and with Qwen3's, which writes an empty thought before each reply."""
    other = copy.deepcopy(chat)
    if request.param == "qwen3":
        other.tokenizer.chat_template = (Path(trl.__file__).with_name("chat_templates") / "qwen3.jinja").read_text()
    return other


@pytest.fixture
def prepared(tiny_model, chat, write_samples, tmp_path):
    """Samples, each with the row that a trainer makes of it; held-out ones keep their order."""

    def prepare(recipe, start=None):
        samples = write_samples(count=4, preferences=recipe.method == "dpo")
        examples = read_examples(tmp_path / "verdict_prediction.jsonl", recipe.method)
        base, split = load_base(str(tiny_model / "base"), Precision.FLOAT32), Split(examples, examples)
        trainer = build_trainer(base, chat, split, recipe, Precision.FLOAT32, tmp_path, 1, start)
        return list(zip(samples, trainer.eval_dataset, strict=True))

    return prepare


@pytest.fixture
def written(chat):
    """The ids of a reply in training: as the engine's model writes it, the JSON and the token that ends it.

    The template writes a line end after it, on which nothing depends.
    """

    def ids(reply):
        json, line_end = (chat.tokenizer(text, add_special_tokens=False) for text in (reply.model_dump_json(), "\n"))
        return [*json["input_ids"], chat.tokenizer.eos_token_id, *line_end["input_ids"]]

    return ids


def test_examples_have_the_engines_ids_and_loss_on_the_reply(prepared, chat, written):
    for sample, row in prepared(RECIPES["verdict"]):
        prompt, reply = chat.prompt(sample.task, adapter=True).ids, written(sample.reply)
        assert row["input_ids"] == [*prompt, *reply]
        assert row["labels"] == [-100] * len(prompt) + reply


def test_preferences_have_the_engines_ids(prepared, chat, written, tiny_model):
    for sample, row in prepared(RECIPES["moderator-dpo"], tiny_model / "verdict_prediction"):
        assert row["prompt_ids"] == chat.prompt(sample.task, adapter=True).ids
        assert row["chosen_ids"] == written(sample.reply)
        assert row["rejected_ids"] == written(sample.rejected)
