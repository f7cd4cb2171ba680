"""LoRA adapters on disk: that each fits the base model is checked before anything large is loaded."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

import peft
import torch
from peft import LoraConfig
from peft.tuners.tuners_utils import check_target_module_exists
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import nn

from system.graph.records import explain
from system.hardware.weights import find
from system.models.base import ModelUnavailable
from system.tasks.base import Adapter

RANKS = (8, 16, 32, 64, 128, 256, 512)
"""Ranks that vLLM serves; an adapter of another takes the next."""

NORM = "model.norm.weight"
MARK = "base_norm_sha256"
"""Key of the mark in an adapter's metadata."""

LARGEST = torch.finfo(torch.float16).max
"""Largest weight that can be served in every precision."""

_CONFIG: TypeAdapter[LoraConfig] = TypeAdapter(LoraConfig)
_FLOATS = ("F64", "F32", "F16", "BF16")
_FREE = {
    "r", "lora_alpha", "lora_dropout", "target_modules", "exclude_modules", "layers_to_transform", "layers_pattern",
    "use_rslora", "init_lora_weights", "base_model_name_or_path", "revision", "task_type", "inference_mode",
    "peft_version", "auto_mapping",
}  # fmt: skip
"""Fields of a configuration that plain LoRA leaves open; another value of any other makes it something else."""

Layers = Mapping[str, tuple[int, int]]
"""Inputs and outputs of a base model's linear layers, by name."""


class AdapterFault(Exception):
    """A folder holds no adapter that fits; the message says what was expected."""


def check_adapters(adapters: Mapping[Adapter, str], base: nn.Module, mark: str = "") -> None:
    """Check that adapters fit a base model.

    Args:
        adapters: folders in PEFT's format.
        base: the base model; one on the meta device will do.
        mark: of the base model (``base_mark``), where its weights are at hand.

    Raises:
        ModelUnavailable: a folder is no adapter, or one for another base model; the message names it.
    """
    for adapter, folder in adapters.items():
        check_adapter(folder, base, mark, name=f"adapter {adapter}")


def check_adapter(folder: str | Path, base: nn.Module, mark: str = "", name: str = "adapter") -> LoraConfig:
    """Check that an adapter is plain LoRA with finite weights for every layer that its configuration names.

    Returns:
        The configuration, for PEFT to load the adapter with.

    Raises:
        ModelUnavailable: it is not, or fits another base model; the message names the field or the tensor.
    """
    layers = {
        name: (module.in_features, module.out_features)
        for name, module in base.named_modules()
        if isinstance(getattr(module, "in_features", None), int) and hasattr(module, "out_features")
    }
    try:
        config = _config(Path(folder))
        _check_tensors(Path(folder), _expected(config, layers), layers, mark)
    except AdapterFault as fault:
        raise ModelUnavailable(f"{name} in {folder}: {fault}; train or give one for this base model") from fault
    return config


def base_mark(model: str) -> str:
    """Fingerprint of a base model, the same in all precisions; "" where its weights are not at hand.

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
    """Rank of an adapter, from its configuration.

    Raises:
        ModelUnavailable: the folder has no configuration of an adapter.
    """
    try:
        return _config(Path(folder)).r
    except AdapterFault as fault:
        raise ModelUnavailable(f"adapter in {folder}: {fault}") from fault


def served_rank(adapters: Mapping[Adapter, str]) -> int:
    """The rank that vLLM keeps in every slot, which the largest adapter decides; 0 without adapters.

    Raises:
        ModelUnavailable: vLLM serves none so large.
    """
    rank = max(map(rank_of, adapters.values()), default=0)
    if rank > RANKS[-1]:
        raise ModelUnavailable(f"an adapter has rank {rank}; vLLM serves up to {RANKS[-1]}")
    return next(size for size in (0, *RANKS) if size >= rank)


def _config(folder: Path) -> LoraConfig:
    """The configuration, whose fields have the types that PEFT declares."""
    try:
        raw = from_json((folder / "adapter_config.json").read_bytes())
        kind = raw.get("peft_type") if isinstance(raw, dict) else None
        if kind != "LORA":
            raise AdapterFault(
                f"adapter_config.json: expected an object with peft_type 'LORA', got {kind or raw!r:.40}"
            )
        _check_fields(raw)
        config = _CONFIG.validate_python(raw)
    except ValidationError as error:
        raise AdapterFault(f"adapter_config.json: {explain(error.errors()[0], 'the file')}") from error
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise AdapterFault(f"expected {_FILES} as PEFT writes them ({error})") from error
    _check_plain(config)
    return config


_FILES = "adapter_config.json and adapter_model.safetensors"


def _check_fields(raw: Mapping[str, Any]) -> None:
    """Refuse fields of a later PEFT that are in use: what they ask for would not be done."""
    known = {field.name for field in fields(LoraConfig)}
    if used := sorted(name for name, value in raw.items() if name not in known and value):
        raise AdapterFault(f"adapter_config.json: {used[0]:.100}: expected a field of PEFT {peft.__version__}")


def _check_plain(config: LoraConfig) -> None:
    """Refuse what neither vLLM nor merging would do as it was trained; empty values become PEFT's own defaults."""
    plain: dict[str, Any] = vars(LoraConfig())
    for name in sorted(vars(config).keys() & plain.keys() - _FREE):
        value = getattr(config, name)
        if value and value != plain[name]:
            raise AdapterFault(
                f"adapter_config.json: {name}: expected plain LoRA with {plain[name]!r}, got {value!r:.40}"
            )
        setattr(config, name, plain[name])
    if config.init_lora_weights not in (True, False, "gaussian"):  # others change the base's own weights
        raise AdapterFault(
            f"adapter_config.json: init_lora_weights: expected true or 'gaussian', got {config.init_lora_weights!r}"
        )
    if not (config.r > 0 and 0 < config.lora_alpha <= LARGEST):
        raise AdapterFault(
            f"adapter_config.json: expected r and lora_alpha above 0, got {config.r}, {config.lora_alpha}"
        )
    if not 0 <= config.lora_dropout < 1:
        raise AdapterFault(f"adapter_config.json: lora_dropout: expected 0 to 1, 1 left out, got {config.lora_dropout}")
    if not config.target_modules:
        raise AdapterFault("adapter_config.json: target_modules: expected names of layers, got none")
    _check_names(config)


def _check_names(config: LoraConfig) -> None:
    """Refuse what PEFT would match as a regular expression: a stranger's can take forever."""
    pattern = config.layers_pattern
    named = {
        "target_modules": config.target_modules or [],
        "exclude_modules": config.exclude_modules or [],
        "layers_pattern": [pattern] if isinstance(pattern, str) and pattern else pattern or [],
    }
    for name, value in named.items():
        keyword = " or 'all-linear'" if name == "target_modules" else ""
        if keyword and value == "all-linear":
            continue
        if isinstance(value, str) or not all(map(_NAME.fullmatch, value)):
            raise AdapterFault(
                f"adapter_config.json: {name}: expected a list of names of layers{keyword}, got {value!r:.40}"
            )


_NAME = re.compile(r"\w+(?:\.\w+)*")


def _expected(config: LoraConfig, layers: Layers) -> dict[str, tuple[int, int]]:
    """Shapes of the tensors, by name, that an adapter of this configuration has."""
    try:
        shapes = {
            f"base_model.model.{module}.lora_{matrix}.weight": shape
            for module, (inputs, outputs) in layers.items()
            if _is_target(config, module)
            for matrix, shape in (("A", (config.r, inputs)), ("B", (outputs, config.r)))
        }
    except (re.error, ValueError, TypeError) as error:
        raise AdapterFault(f"adapter_config.json: target_modules or layers cannot be matched ({error})") from error
    if not shapes:
        raise AdapterFault("adapter_config.json: target_modules names no linear layer of the base model")
    return shapes


def _is_target(config: LoraConfig, module: str) -> bool:
    if config.target_modules == "all-linear":  # PEFT leaves out the output embedding
        return not module.endswith("lm_head")
    return bool(check_target_module_exists(config, module))


def _check_tensors(folder: Path, expected: Mapping[str, tuple[int, int]], layers: Layers, mark: str) -> None:
    try:
        with safe_open(folder / "adapter_model.safetensors", framework="pt") as tensors:
            trained_on = (tensors.metadata() or {}).get(MARK, mark)
            if mark and trained_on != mark:
                raise AdapterFault(
                    f"it was trained on another base model (final norm {trained_on:.12}, this one has {mark:.12})"
                )
            for fault in chain(_misfits(tensors, expected, layers), _unusable(tensors)):
                raise AdapterFault(fault)  # the first; what does not fit may not be computed with either
    except (OSError, ValueError, SafetensorError) as error:
        raise AdapterFault(f"expected {_FILES} as PEFT writes them ({error})") from error


def _misfits(tensors: Any, expected: Mapping[str, tuple[int, int]], layers: Layers) -> Iterator[str]:
    """Faults in the tensors' names and shapes, from the file's header."""
    names = set(tensors.keys())
    for name in sorted(names):
        match = _MATRIX.fullmatch(name)
        if not match or match["module"] not in layers:
            yield f"{name:.200} matches no linear layer of the base model"
        elif name not in expected:
            yield f"{name} is of a layer that adapter_config.json does not name"
        elif (shape := tuple(tensors.get_slice(name).get_shape())) != expected[name]:
            yield f"{name} has shape {shape}, the base model needs {expected[name]}"
    yield from (
        f"{name} is missing, of a layer that adapter_config.json names" for name in expected if name not in names
    )


_MATRIX = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<matrix>[AB])\.weight")


def _unusable(tensors: Any) -> Iterator[str]:
    """Tensors whose values no model can compute with."""
    for name in sorted(tensors.keys()):
        if (kind := tensors.get_slice(name).get_dtype()) not in _FLOATS:
            yield f"{name} has type {kind}, expected floating-point numbers"
        elif not bool((largest := tensors.get_tensor(name).abs().max()) <= LARGEST):  # nor is NaN
            yield f"{name} has a weight of {float(largest):.3g}, expected finite ones of at most {LARGEST:,.0f}"
