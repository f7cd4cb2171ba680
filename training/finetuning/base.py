"""The base model that an adapter is trained on, in the precision that fits the device.

Example: ``load_base(model, precision_for(model))``.
"""

from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, BitsAndBytesConfig

from system.models.adapters import skeleton
from system.models.base import ModelUnavailable, first_line
from training import TrainingError

SHARE = 0.5  # of the GPU's memory that bfloat16 weights may take; the rest is for activations and the adapter


class Precision(StrEnum):
    """Form of the frozen weights."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    NF4 = "nf4"


def precision_for(model: str) -> Precision:
    """Return the precision to train on a base in: NF4 (QLoRA) if bfloat16 is too large, float32 without a GPU."""
    if not torch.cuda.is_available():
        return Precision.FLOAT32
    weights = 2 * sum(parameter.numel() for parameter in skeleton(model).parameters())
    memory = torch.cuda.get_device_properties(0).total_memory
    return Precision.BFLOAT16 if weights <= SHARE * memory else Precision.NF4


def check_trainable(model: str) -> None:
    """Check that a base model's weights can be trained; those of a quantized checkpoint cannot."""
    try:
        config = AutoConfig.from_pretrained(model, local_files_only=Path(model).is_dir())
    except Exception as error:  # a damaged configuration fails anywhere in transformers
        raise ModelUnavailable(
            f"base model {model!r} cannot be read: {first_line(error)}; give a folder with config.json of a causal "
            "language model, or the name of a model on the hub; 'python -m training dequantize' makes a base from the "
            "checkpoint that the engine serves"
        ) from error
    if getattr(config, "quantization_config", None) is not None:
        raise TrainingError(
            f"{model} is quantized, and quantized weights cannot be trained. To train adapters that the engine serves "
            f"on it, run 'python -m training dequantize {model} --output models/base', then give --base models/base. "
            "You can also train the original model, but AWQ has changed the inputs of its layers, so such an adapter "
            "works less well on the checkpoint"
        )


def load_base(model: str, precision: Precision) -> Any:
    """Load a base model to train an adapter on, on the GPU if there is one."""
    if precision is Precision.NF4 and not find_spec("bitsandbytes"):
        raise ModelUnavailable("a base in 4 bits needs bitsandbytes; run scripts/setup.sh train gpu")
    try:
        return AutoModelForCausalLM.from_pretrained(
            model,
            dtype=torch.float32 if precision is Precision.FLOAT32 else torch.bfloat16,
            device_map={"": "cuda" if torch.cuda.is_available() else "cpu"},
            quantization_config=four_bits() if precision is Precision.NF4 else None,
            local_files_only=Path(model).is_dir(),
            use_safetensors=True,  # a pickle can run code
        )
    except Exception as error:  # a damaged configuration fails anywhere in transformers
        raise ModelUnavailable(f"base model {model!r} cannot be loaded in {precision}: {first_line(error)}") from error


def four_bits() -> BitsAndBytesConfig:
    """Return QLoRA's quantization (Dettmers et al., 2023): NF4 with quantized scales, computing in bfloat16."""
    return BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
