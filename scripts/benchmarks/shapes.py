"""Architectures that benchmarks fill with random weights, so that nothing is downloaded."""

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
