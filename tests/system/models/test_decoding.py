"""Replies as they are decoded, by weights with adapters: a loop ends its string."""

import json

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from system.models.base import ModelUnavailable
from system.models.constraints import Row, Schemas, loops
from system.models.decoding import MergedAdapters
from system.strategies.steps.tasks.argument import ArgumentReply
from system.tasks.base import Adapter, FreeText


@pytest.fixture(scope="module")
def tokenizer(tiny_tokenizer):
    return AutoTokenizer.from_pretrained(tiny_tokenizer)


def write(row: Row, tokenizer, text: str) -> None:
    for token in tokenizer(text, add_special_tokens=False)["input_ids"]:
        row.add(token, 0.0)


def texts_of(allowed: torch.Tensor, tokenizer) -> list[str]:
    return [tokenizer.decode([token]) for token in allowed.nonzero().flatten().tolist()]


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ([7, *[1, 2, 3, 4] * 8], True),
        ([7, *[1, 2, 3, 4] * 7, 1, 2, 3], False),  # shorter than a loop
        ([*[1, 2, 3, 4] * 8, 5], False),  # the loop is over
        ([*range(60)] * 2, False),  # said twice
        ([*range(60)] * 3, True),
        ([*range(70)] * 3, False),  # longer than what is looked for
        ([0] * 31, False),
        ([0] * 32, True),
        ([], False),
    ],
)
def test_a_loop_is_a_long_end_that_repeats_itself(ids, found):
    assert loops(ids) is found


def test_a_looping_string_is_closed(tokenizer):
    row = Schemas(tokenizer, len(tokenizer)).row(ArgumentReply, 512)
    write(row, tokenizer, '":"The claim is true.')
    assert len(texts_of(row.allowed(len(tokenizer)), tokenizer)) > 100
    write(row, tokenizer, " It is so because it is." * 12)
    closing = texts_of(row.allowed(len(tokenizer)), tokenizer)
    assert closing and all(text.startswith('"') for text in closing)
    write(row, tokenizer, '"')
    assert not loops(row.ids)


def test_a_looping_free_reply_ends(tokenizer):
    row = Schemas(tokenizer, len(tokenizer)).row(FreeText, 512)
    write(row, tokenizer, " and so on" * 20)
    assert row.allowed(len(tokenizer)).nonzero().flatten().tolist() == [tokenizer.eos_token_id]


def test_an_adapter_that_outgrows_the_precision_of_the_base_is_refused(tmp_path):
    sizes = {"num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1}
    base = LlamaForCausalLM(LlamaConfig(vocab_size=8, hidden_size=8, intermediate_size=8, **sizes)).half()
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 4, "target_modules": ["q_proj"]}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    layer = "model.layers.0.self_attn.q_proj"
    shapes = {"A": (4, 8), "B": (8, 4)}
    tensors = {f"base_model.model.{layer}.lora_{name}.weight": torch.full(size, 6e4) for name, size in shapes.items()}
    save_file(tensors, tmp_path / "adapter_model.safetensors")
    with pytest.raises(ModelUnavailable, match=rf"adapter moderator in .*{layer}.weight with it is not finite in .*16"):
        MergedAdapters(base, {Adapter.MODERATOR: str(tmp_path)})
    MergedAdapters(base.float(), {Adapter.MODERATOR: str(tmp_path)})
