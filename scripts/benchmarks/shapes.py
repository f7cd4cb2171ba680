"""Architectures that benchmarks fill with random weights, so that nothing is downloaded."""

import copy

from transformers import Qwen2Config

QWEN_14B = Qwen2Config(
    architectures=["Qwen2ForCausalLM"],
    vocab_size=152_064,
    hidden_size=5120,
    intermediate_size=13_824,
    num_hidden_layers=48,
    num_attention_heads=40,
    num_key_value_heads=8,
    max_position_embeddings=32_768,
    tie_word_embeddings=False,
)


def awq(shape: Qwen2Config) -> Qwen2Config:
    """Return the shape as its AWQ checkpoint declares it: 4 bits, groups of 128."""
    method = {"quant_method": "awq", "version": "gemm", "bits": 4, "group_size": 128, "zero_point": True}
    quantized = copy.deepcopy(shape)
    quantized.update({"dtype": "float16", "quantization_config": {**method, "modules_to_not_convert": None}})
    return quantized
