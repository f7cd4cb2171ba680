"""Torch made fast on a processor: its types, its memory, and attention without copies."""

import ctypes
import platform
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

GROUPED = "grouped"
"""Name of ``grouped_attention`` in the registry of transformers."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # malloc.h


def best_dtype() -> torch.dtype:
    """bfloat16 where the processor has instructions for it, else float32."""
    fast = torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if fast else torch.float32


def keep_freed_memory() -> None:
    """Have glibc keep large blocks that are freed, for the whole process.

    By default it gives each back to the system, which clears it again for the next tensor: two fifths of the time that
    SmolLM2 takes to read prompts.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL("libc.so.6")
        for option, value in ((_MMAP_THRESHOLD, 1 << 30), (_TRIM_THRESHOLD, (1 << 31) - 1), (_ARENA_MAX, 1)):
            libc.mallopt(option, value)


def grouped_attention(
    module: torch.nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **options: Any
) -> tuple[Tensor, None]:
    """Attention of transformers; where one token is added, without a copy of keys and values for each query head.

    Query heads that share a head of keys take the place of query positions, since all of them may see all keys.

    Args:
        query: (batch, heads, positions, width).
        key: (batch, shared heads, keys, width); value alike.
        attention_mask: (batch, 1, positions, keys), or None.

    Returns:
        (batch, positions, heads, width), and no weights.
    """
    batch, heads, positions, width = query.shape
    if positions > 1:
        attended: tuple[Tensor, None] = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
        return attended
    grouped = query.view(batch, key.shape[1], heads // key.shape[1], width)
    scaled = scaled_dot_product_attention(grouped, key, value, attn_mask=attention_mask, scale=options.get("scaling"))
    return scaled.reshape(batch, 1, heads, width), None


AttentionInterface.register(GROUPED, grouped_attention)
AttentionMaskInterface.register(GROUPED, sdpa_mask)
