"""The tiny model has what the real one has, in the formats that the real one has them in."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.helpers.awq_reference import dequantize

pytestmark = pytest.mark.slow

PROJECTIONS = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}


def test_awq_weights_equal_the_base_within_half_a_step(tiny_model):
    base, awq = (load_file(tiny_model / name / "model.safetensors") for name in ("base", "awq"))
    layers = {name.removesuffix(".qweight") for name in awq if name.endswith(".qweight")}
    assert {layer.rpartition(".")[2] for layer in layers} == PROJECTIONS
    for layer in layers:
        qweight, qzeros, scales = (awq[f"{layer}.{part}"] for part in ("qweight", "qzeros", "scales"))
        error = np.abs(dequantize(qweight, qzeros, scales) - base[f"{layer}.weight"].numpy())
        step = scales.float().numpy().repeat(128, axis=0).T
        assert qweight.dtype == qzeros.dtype == torch.int32
        # Rounding of the weight and of the zero point, half a step each, and float16 scales.
        assert (error <= 1.01 * step).all()
        assert (error <= 0.51 * step).mean() > 0.95


def test_awq_configuration_is_what_servers_read(tiny_model):
    method = json.loads((tiny_model / "awq" / "config.json").read_text())["quantization_config"]
    assert (method["quant_method"], method["version"], method["bits"]) == ("awq", "gemm", 4)
    assert (method["group_size"], method["zero_point"]) == (128, True)


def test_adapters_are_the_papers_and_differ(tiny_model, tiny_adapters):
    weights = []
    for folder in tiny_adapters.values():
        config = json.loads((tiny_model / folder / "adapter_config.json").read_text())
        assert (config["r"], config["lora_alpha"], config["lora_dropout"], config["bias"]) == (16, 32, 0.05, "none")
        assert set(config["target_modules"]) == PROJECTIONS
        weights.append(load_file(tiny_model / folder / "adapter_model.safetensors"))
    assert len(weights) == 3
    for name in weights[0]:
        one, two, three = (w[name] for w in weights)
        assert one.any() and not torch.equal(one, two) and not torch.equal(two, three)


def test_tokenizer_has_the_format_of_qwen2_5(tiny_model):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(tiny_model / "awq"))
    added = sorted(tokenizer.added_tokens_decoder.items())
    assert [token.content for _, token in added][:3] == ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    assert len(added) == 22 and sum(token.special for _, token in added) == 14
    assert (tokenizer.eos_token, tokenizer.pad_token) == ("<|im_end|>", "<|endoftext|>")
    text = "In 2019 it's ½ — naïve 東京 🌉\n\n  end"
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    chat = tokenizer.apply_chat_template(
        [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
        add_generation_prompt=True,
        tokenize=False,
    )
    assert chat == "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n"


def test_same_seed_makes_the_same_adapters_and_tokenizer(maker, tiny_model, tmp_path):
    maker.make(tmp_path)
    for file in ("base/tokenizer.json", "base/config.json", "question_answering/adapter_config.json"):
        again, first = ((folder / file).read_text().replace(str(folder), "") for folder in (tmp_path, tiny_model))
        assert again == first
    again, first = (load_file(folder / "base" / "model.safetensors") for folder in (tmp_path, tiny_model))
    for name, tensor in first.items():
        torch.testing.assert_close(again[name], tensor, rtol=0, atol=1e-3)
