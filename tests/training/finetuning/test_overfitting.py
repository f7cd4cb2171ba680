"""A tiny model that has learned 16 real examples by heart writes their labels: masks, template, targets are right."""

import json
from dataclasses import replace

import pytest
import torch
from peft import PeftModel

from system.models.prompting import ChatTokenizer
from tests.helpers.tiny_training import write_lines
from training.finetuning.base import Precision, load_base
from training.finetuning.examples import read_examples, split_by_claim
from training.finetuning.recipes import HELD_OUT, RECIPES
from training.finetuning.training import Job, train

pytestmark = [pytest.mark.slow, pytest.mark.data, pytest.mark.filterwarnings("default")]

COUNT = 16
ASIDE = {-1}  # the claim that is held out, so that all 16 are learned
BY_HEART = replace(
    RECIPES["verdict"], dropout=0.0, epochs=60.0, batch=4, learning_rate=5e-3, context=2048, patience=99
)  # rank, alpha and layers are the real ones; the rest is what learning by heart needs on a tiny random model


@pytest.fixture
def short_claims(shared, tmp_path):
    """The annotated claims of train with the shortest texts, as many of each label."""
    claims = json.loads((shared / "data" / "averitec" / "train.json").read_text())
    claims.sort(key=lambda claim: len(claim["claim"]) + len(json.dumps(claim["questions"])))
    labels = sorted({claim["label"] for claim in claims})
    chosen = [[claim for claim in claims if claim["label"] == label][: COUNT // len(labels)] for label in labels]
    path = tmp_path / "claims.json"
    path.write_text(json.dumps([claim for same in chosen for claim in same]))
    return path


def test_memorized_examples_get_their_labels(tiny_model, short_claims, verdicts, lines, tmp_path):
    # One justification for all, so that every update is about the labels.
    tasks = [
        (task, reply.model_copy(update={"justification": "By heart."})) for task, reply in verdicts(short_claims, COUNT)
    ]
    rows = lines(tasks)
    rows += [rows[0] | {"claim_id": claim} for claim in ASIDE]
    write_lines(tmp_path / "verdict_prediction.jsonl", rows)
    examples = read_examples(tmp_path / "verdict_prediction.jsonl")
    seed = next(seed for seed in range(100_000) if _aside(examples, seed) == ASIDE)
    base, folder = str(tiny_model / "base"), tmp_path / "adapter"
    train(Job("verdict", BY_HEART, base, tmp_path, folder, seed=seed))
    chat = ChatTokenizer(base, 4096)
    model = PeftModel.from_pretrained(load_base(base, Precision.FLOAT32), str(folder)).eval()
    written = []
    for task, _ in tasks:
        prompt = torch.tensor([chat.prompt(task, True).ids])
        mask = torch.ones_like(prompt)
        output = model.generate(input_ids=prompt, attention_mask=mask, max_new_tokens=64, do_sample=False)
        reply = chat.tokenizer.decode(output[0, prompt.shape[1] :], skip_special_tokens=True)
        written.append(json.loads(reply)["label"])
    assert written == [reply.label for _, reply in tasks]


def _aside(examples, seed):
    return {example["claim_id"] for example in split_by_claim(examples, HELD_OUT, seed).held_out}
