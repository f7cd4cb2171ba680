"""Architectures that the benchmarks fill with random weights, so that they need no download."""

import copy

from transformers import LlamaConfig, Qwen2Config

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
QWEN_05B = Qwen2Config(
    architectures=["Qwen2ForCausalLM"],
    vocab_size=151_936,
    hidden_size=896,
    intermediate_size=4864,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
    max_position_embeddings=32_768,
    tie_word_embeddings=True,
)
SMOLLM2_135M = LlamaConfig(
    architectures=["LlamaForCausalLM"],
    vocab_size=49_152,
    hidden_size=576,
    intermediate_size=1536,
    num_hidden_layers=30,
    num_attention_heads=9,
    num_key_value_heads=3,
    max_position_embeddings=8192,
    tie_word_embeddings=True,
)


def awq(shape: Qwen2Config) -> Qwen2Config:
    """The shape as its AWQ checkpoint declares it: 4 bits, groups of 128."""
    method = {"quant_method": "awq", "version": "gemm", "bits": 4, "group_size": 128, "zero_point": True}
    quantized = copy.deepcopy(shape)
    quantized.update({"dtype": "float16", "quantization_config": {**method, "modules_to_not_convert": None}})
    return quantized
