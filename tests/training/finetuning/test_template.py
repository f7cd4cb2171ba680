"""TRL trains, token for token, on what the engine sends and gets."""

import pytest

from training.finetuning.base import Precision, load_base
from training.finetuning.examples import Split
from training.finetuning.recipes import RECIPES
from training.finetuning.trainers import build_trainer

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def prepared(tiny_model, chat, examples, recipe, folder):
    """The rows that a trainer makes of examples; held-out ones keep their order."""
    start = tiny_model / "verdict_prediction" if recipe.method == "dpo" else None
    base = load_base(str(tiny_model / "base"), Precision.FLOAT32)
    split = Split(examples, examples)
    trainer = build_trainer(base, chat, split, recipe, Precision.FLOAT32, folder, 1, start)
    return list(trainer.eval_dataset)


def engine_reply(chat, reply):
    """The ids of a reply as the engine's model writes it: the JSON and the token that ends it."""
    return [*chat.tokenizer(reply, add_special_tokens=False)["input_ids"], chat.tokenizer.eos_token_id]


def test_examples_have_the_engines_ids_and_loss_on_the_reply(tiny_model, chat, verdicts, lines, tmp_path):
    tasks = list(verdicts(count=4))
    examples = lines(tasks)
    rows = prepared(tiny_model, chat, examples, RECIPES["verdict"], tmp_path)
    line_end = chat.tokenizer("\n")["input_ids"]  # the template writes it after a message; nothing depends on it
    for row, (task, reply) in zip(rows, tasks, strict=True):
        prompt = chat.prompt(task, adapter=True).ids
        wanted = engine_reply(chat, reply.model_dump_json())
        assert row["input_ids"] == [*prompt, *wanted, *line_end]
        assert row["labels"] == [-100] * len(prompt) + wanted + line_end


def test_preferences_have_the_engines_ids(tiny_model, chat, verdicts, lines, tmp_path):
    tasks = list(verdicts(count=3))
    worse = [{"role": "assistant", "content": '{"justification":"No.","label":"Supported"}'}]
    examples = [line | {"chosen": line["completion"], "rejected": worse} for line in lines(tasks)]
    rows = prepared(tiny_model, chat, examples, RECIPES["moderator-dpo"], tmp_path)
    line_end = chat.tokenizer("\n")["input_ids"]
    for row, (task, reply) in zip(rows, tasks, strict=True):
        assert row["prompt_ids"] == chat.prompt(task, adapter=True).ids
        assert row["chosen_ids"] == engine_reply(chat, reply.model_dump_json()) + line_end
        assert row["rejected_ids"] == engine_reply(chat, worse[0]["content"]) + line_end
