"""LoRA adapters on disk: that each fits the base model is checked before anything large is loaded."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import nn

from system.models.base import ModelUnavailable
from system.tasks.base import Adapter
from system.weights import find

RANKS = (8, 16, 32, 64, 128, 256, 512)
"""Ranks that vLLM serves; an adapter of another takes the next."""

NORM = "model.norm.weight"
MARK = "base_norm_sha256"
"""Key of the mark in an adapter's metadata."""

_MATRIX = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<matrix>[AB])\.weight")


def check_adapters(adapters: Mapping[Adapter, str], base: nn.Module, mark: str = "") -> None:
    """Check that adapters fit a base model.

    Args:
        adapters: folders in PEFT's format.
        base: the base model; one on the meta device will do.
        mark: of the base model (``base_mark``), where its weights are at hand.

    Raises:
        ModelUnavailable: a folder is no adapter, or one for another base model; the message names it.
    """
    layers = {
        name: (module.in_features, module.out_features)
        for name, module in base.named_modules()
        if hasattr(module, "in_features") and hasattr(module, "out_features")
    }
    for adapter, folder in adapters.items():
        if fault := _fault(Path(folder), layers, mark):
            raise ModelUnavailable(f"adapter {adapter} in {folder}: {fault}; train or give one for this base model")


def base_mark(model: str) -> str:
    """What tells a base model from others of its shape, in all precisions; "" where its weights are not at hand.

    SHA-256 of the final norm in bfloat16: training a model further changes it, quantizing its layers does not.
    """
    for file in sorted((find(model) or Path(model)).glob("*.safetensors")):
        try:
            with safe_open(file, framework="pt") as tensors:
                norm = tensors.get_tensor(NORM).to(torch.bfloat16).view(torch.int16)
        except SafetensorError:  # it is in another part, or the file is damaged, of which loading tells
            continue
        return hashlib.sha256(norm.numpy().tobytes()).hexdigest()
    return ""


def mark_adapter(folder: Path, model: str) -> None:
    """Write into an adapter which base model it was trained on, for ``check_adapters``; in bfloat16, half the size."""
    file = folder / "adapter_model.safetensors"
    tensors = {name: tensor.to(torch.bfloat16) for name, tensor in load_file(file).items()}
    save_file(tensors, file, metadata={"format": "pt", MARK: base_mark(model)})


def rank_of(folder: str | Path) -> int:
    """Rank of an adapter, from its configuration."""
    return int(json.loads((Path(folder) / "adapter_config.json").read_text(encoding="utf-8"))["r"])


def served_rank(adapters: Mapping[Adapter, str]) -> int:
    """The rank that vLLM keeps in every slot, which the largest adapter decides; 0 without adapters.

    Raises:
        ModelUnavailable: vLLM serves none so large.
    """
    rank = max(map(rank_of, adapters.values()), default=0)
    if rank > RANKS[-1]:
        raise ModelUnavailable(f"an adapter has rank {rank}; vLLM serves up to {RANKS[-1]}")
    return next(size for size in (0, *RANKS) if size >= rank)


def _fault(folder: Path, layers: Mapping[str, tuple[int, int]], mark: str) -> str | None:
    """What is wrong with an adapter, or None."""
    try:
        rank = rank_of(folder)
        with safe_open(folder / "adapter_model.safetensors", framework="numpy") as tensors:
            trained_on = (tensors.metadata() or {}).get(MARK, mark)
            shapes = {name: tuple(tensors.get_slice(name).get_shape()) for name in tensors.keys()}  # noqa: SIM118
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        return f"expected adapter_config.json and adapter_model.safetensors as PEFT writes them ({error})"
    if mark and trained_on != mark:
        return f"it was trained on another base model (final norm {trained_on:.12}, this one has {mark:.12})"
    for name, shape in shapes.items():
        match = _MATRIX.fullmatch(name)
        if not match or match["module"] not in layers:
            return f"{name} matches no linear layer of the base model"
        inputs, outputs = layers[match["module"]]
        expected = (rank, inputs) if match["matrix"] == "A" else (outputs, rank)
        if shape != expected:
            return f"{name} has shape {shape}, the base model needs {expected}"
    return None
