"""Memory that an engine needs, computed from the model's own configuration before anything is loaded.

plan_memory(skeleton(model), settings.engine, device=22 * GIB, adapters=3, rank=16, graphs=True)
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
WIDTH = 2  # bytes of an unquantized weight, an activation, a cached value

# Not computable from a configuration: the runtime's own context and kernels, and captured graphs. Round upper figures.
RUNTIME = int(0.75 * GIB)
GRAPHS = GIB


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes by purpose.

    Attributes:
        total: what may be used.
        fixed: everything but the KV cache, by purpose; of these, the encoder is not the engine's.
        kv_cache: what the others leave, up to all sequences at full length; more would seldom be used.
        kv_per_token: keys and values of one token in all layers.
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
        """Bytes of the engine: all but the encoder's and what is left."""
        return sum(self.fixed.values()) - self.fixed["encoder"] + self.kv_cache

    def __str__(self) -> str:
        cache = f"KV cache ({self.kv_tokens:,} tokens of {self.kv_per_token / 1024:.0f} KiB)"
        left = self.total - sum(self.fixed.values()) - self.kv_cache
        rows = self.fixed | {cache: self.kv_cache, "left": left, "total": self.total}
        return "\n".join(f"  {name:<44}{size / GIB:8.2f} GiB" for name, size in rows.items())


def skeleton(model: str) -> nn.Module:
    """A model without weights: its layers and their shapes, on the meta device.

    Raises:
        ModelUnavailable: the model is missing or not a causal language model.
    """
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
    bare: Any, settings: EngineSettings, *, device: int, adapters: int, rank: int, graphs: bool
) -> MemoryPlan:
    """Return the plan of a model (see ``skeleton``) that is to run.

    Args:
        device: bytes of the device.
        adapters: LoRA adapters held at the same time, of ``rank``.
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
    blocks = _projections(bare)
    fixed = {
        "weights": _weights(bare, blocks),
        "adapters": adapters * rank * sum(m.in_features + m.out_features for m in blocks) * WIDTH,
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


def _projections(bare: Any) -> list[nn.Linear]:
    """Linear layers of the transformer blocks: what is quantized, and what adapters change."""
    head = bare.get_output_embeddings()
    return [module for module in bare.modules() if isinstance(module, nn.Linear) and module is not head]


def _weights(bare: Any, projections: list[nn.Linear]) -> int:
    """Bytes of the weights; a group of AWQ weights shares a scale of 16 bits and a zero point of a weight's bits."""
    parameters: int = sum(parameter.numel() for parameter in bare.parameters())
    quantized = getattr(bare.config, "quantization_config", None)
    if not quantized:
        return parameters * WIDTH
    if "config_groups" in quantized:  # as llm-compressor writes it (compressed-tensors); else as AutoAWQ does
        weights = next(iter(quantized["config_groups"].values()))["weights"]
        bits, group = weights["num_bits"], weights["group_size"]
    else:
        bits, group = quantized["bits"], quantized["group_size"]
    in_blocks = sum(module.weight.numel() for module in projections)
    return (parameters - in_blocks) * WIDTH + int(in_blocks * (bits + (16 + bits) / group) / 8)
