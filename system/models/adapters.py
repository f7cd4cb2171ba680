"""LoRA adapters on disk: check that each fits the base model before anything large is loaded.

An adapter fits if its tensors have the shapes that its rank and the base's layers give, and if its mark, a fingerprint
of the base that it was trained on, is the base's. vLLM and PEFT check the rest when they load it.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

from system.graph.records import explain
from system.hardware.weights import find
from system.models.base import ModelUnavailable, first_line

NORM = "model.norm.weight"
MARK = "base_norm_sha256"  # key in an adapter's metadata


class _Config(BaseModel):  # of PEFT's adapter_config.json
    peft_type: str = Field(pattern="^LORA$")
    r: int = Field(gt=0)


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


def check_adapter(folder: str | Path, base: nn.Module, mark: str = "") -> None:
    """Check that an adapter in PEFT's format fits a base model, which may be a ``skeleton``, and its mark.

    Raises:
        ModelUnavailable: the folder holds no adapter, or one for another base model; the message names the tensor.
    """
    rank = rank_of(folder)
    needed: dict[str, Any] = {}
    for name, layer in base.named_modules():
        if hasattr(layer, "in_features"):
            needed[f"base_model.model.{name}.lora_A.weight"] = (rank, layer.in_features)
            needed[f"base_model.model.{name}.lora_B.weight"] = (layer.out_features, rank)
    try:
        with safe_open(Path(folder) / "adapter_model.safetensors", framework="pt") as tensors:
            trained_on = (tensors.metadata() or {}).get(MARK, mark)
            shapes = {key: tuple(tensors.get_slice(key).get_shape()) for key in tensors.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise _fault(folder, f"cannot read adapter_model.safetensors ({error})") from error
    if mark and trained_on != mark:
        norms = f"final norm {trained_on:.12}, this one has {mark:.12}"
        raise _fault(folder, f"it was trained on another base model ({norms})")
    if not shapes:
        raise _fault(folder, "adapter_model.safetensors holds no tensor")
    for key, shape in sorted(shapes.items()):
        if key not in needed:
            raise _fault(folder, f"{key:.200} matches no linear layer of the base model")
        if shape != needed[key]:
            raise _fault(folder, f"{key} has shape {shape}, the base model needs {needed[key]}")


def _fault(folder: str | Path, fault: str) -> ModelUnavailable:
    return ModelUnavailable(f"adapter in {folder}: {fault}; train or give one for this base model")


def base_mark(model: str) -> str:
    """Return the SHA-256 of a base model's final norm in bfloat16; "" if its weights are not at hand.

    Training changes that norm, quantizing the layers does not.
    """
    for file in sorted((find(model) or Path(model)).glob("*.safetensors")):
        try:
            with safe_open(file, framework="pt") as tensors:
                norm = tensors.get_tensor(NORM).to(torch.bfloat16).view(torch.int16)
        except SafetensorError:  # it is in another part; or the file is damaged, and loading says so
            continue
        return hashlib.sha256(norm.numpy().tobytes()).hexdigest()
    return ""


def mark_adapter(folder: Path, model: str) -> None:
    """Write into an adapter which base model it was trained on, and its weights in bfloat16, half the size."""
    file = folder / "adapter_model.safetensors"
    tensors = {name: tensor.to(torch.bfloat16) for name, tensor in load_file(file).items()}
    save_file(tensors, file, metadata={"format": "pt", MARK: base_mark(model)})


def rank_of(folder: str | Path) -> int:
    """Return the rank of an adapter; ``ModelUnavailable`` if its folder has no configuration of a LoRA adapter."""
    try:
        return _Config.model_validate_json((Path(folder) / "adapter_config.json").read_bytes()).r
    except ValidationError as error:
        raise _fault(folder, f"adapter_config.json: {explain(error.errors()[0], 'the file')}") from error
    except OSError as error:
        raise _fault(folder, f"expected adapter_config.json as PEFT writes it ({error.strerror})") from error


def served_rank(folders: Iterable[str]) -> int:
    """Return the rank that vLLM keeps in every slot: the largest adapter's, as a power of two from 8."""
    return max([8, *(1 << (rank_of(folder) - 1).bit_length() for folder in folders)])
