"""Memory that an engine needs, known from the model's configuration and files before anything is loaded.

plan_memory(skeleton(model), settings.engine, weights=size(folder), device=22 * GIB, adapters=3, rank=16, graphs=True)
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

from system.models.base import ModelUnavailable, first_line
from system.settings import BATCHED_TOKENS, SEQUENCES, EngineSettings

GIB = 2**30
SPARE = 0.03  # of the device; allocators fragment
WIDTH = 2  # bytes of an adapter's weight, an activation, a cached value

# Not computable from a configuration: the runtime's own context and kernels, and captured graphs. Round upper figures.
RUNTIME = int(0.75 * GIB)
GRAPHS = GIB


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes by purpose: ``total`` may be used, ``fixed`` is everything but the KV cache.

    The cache takes what the others leave, up to all sequences at full length. ``kv_per_token`` is of all layers.
    """

    total: int
    fixed: dict[str, int]
    kv_cache: int
    kv_per_token: int

    @property
    def kv_tokens(self) -> int:
        """Tokens that the KV cache holds."""
        return self.kv_cache // self.kv_per_token

    @property
    def engine(self) -> int:
        """Bytes of the engine, to which the encoder does not belong."""
        return sum(self.fixed.values()) - self.fixed["encoder"] + self.kv_cache

    def __str__(self) -> str:
        cache = f"KV cache ({self.kv_tokens:,} tokens of {self.kv_per_token / 1024:.0f} KiB)"
        left = self.total - sum(self.fixed.values()) - self.kv_cache
        rows = self.fixed | {cache: self.kv_cache, "left": left, "total": self.total}
        return "\n".join(f"  {name:<44}{size / GIB:8.2f} GiB" for name, size in rows.items())


def skeleton(model: str) -> nn.Module:
    """Return a causal language model without weights, on the meta device; ``ModelUnavailable`` if there is none."""
    try:
        config = AutoConfig.from_pretrained(model)
        with torch.device("meta"):
            bare: nn.Module = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    except Exception as error:  # a damaged configuration fails anywhere in transformers
        raise ModelUnavailable(
            f"model {model!r} cannot be read: {first_line(error)}; "
            "give a folder with config.json of a causal language model, or the name of a model on the hub"
        ) from error
    return bare


def plan_memory(
    bare: Any, settings: EngineSettings, *, weights: int, device: int, adapters: int, rank: int, graphs: bool
) -> MemoryPlan:
    """Return the plan of a model (see ``skeleton``) that is to run.

    Args:
        weights: bytes of its files, which are those in memory.
        device: bytes of the device.
        adapters: LoRA adapters of ``rank`` that are held at the same time.
        graphs: whether CUDA graphs are captured.

    Raises:
        ModelUnavailable: the KV cache cannot hold one request; the message shows the sums and what to change.
    """
    config = bare.config
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    kv_per_token = 2 * config.num_hidden_layers * config.num_key_value_heads * head * WIDTH
    # The widest moment of a layer (its input, gate, up and their product), and float32 logits with a sorted copy.
    activations = BATCHED_TOKENS * (2 * config.hidden_size + 3 * config.intermediate_size) * WIDTH
    activations += SEQUENCES * config.vocab_size * 3 * 4
    linear = [module for module in bare.modules() if isinstance(module, nn.Linear)]
    adapted = [module for module in linear if module is not bare.get_output_embeddings()]
    fixed = {
        "weights": weights,
        "adapters": adapters * rank * sum(layer.in_features + layer.out_features for layer in adapted) * WIDTH,
        "activations": activations,
        "runtime": RUNTIME,
        "graphs": GRAPHS if graphs else 0,
        "encoder": int(settings.encoder_memory * GIB),
    }
    total = min(device, int(settings.gpu_memory * GIB)) if settings.gpu_memory else device
    room = max(0, int(total * (1 - SPARE)) - sum(fixed.values()))
    plan = MemoryPlan(total, fixed, min(room, SEQUENCES * settings.context * kv_per_token), kv_per_token)
    if plan.kv_tokens < settings.context:
        raise ModelUnavailable(
            f"the model does not fit: a context of {settings.context:,} tokens needs "
            f"{settings.context * kv_per_token / GIB:.2f} GiB of KV cache, but only "
            f"{plan.kv_cache / GIB:.2f} GiB is left for it\n{plan}\n"
            "take a smaller or quantized model, a shorter context, or more memory"
        )
    return plan
