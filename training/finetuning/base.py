"""The base model that an adapter is trained on, loaded in the precision that the memory allows."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import torch
from transformers import AutoConfig, AutoModelForCausalLM, BitsAndBytesConfig

from system.models.base import ModelUnavailable
from system.models.memory import GIB
from system.models.processor import keep_freed_memory
from training import TrainingError
from training.finetuning.memory import Precision

SHORT = 1024  # tokens up to which a processor trains faster with whole attention matrices than with flash attention


def check_trainable(model: str) -> None:
    """Check that a base model's weights can be trained: those of a quantized checkpoint cannot.

    Raises:
        TrainingError: it is quantized; with what to do.
        ModelUnavailable: there is no such model.
    """
    try:
        config = AutoConfig.from_pretrained(model, local_files_only=Path(model).is_dir())
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"base model {model!r} cannot be read: {str(error).strip().splitlines()[0]}; give a folder with "
            "config.json of a causal language model, or a name that the model hub knows; "
            "'python -m training dequantize' makes one of the checkpoint that the engine serves"
        ) from error
    if getattr(config, "quantization_config", None) is not None:
        raise TrainingError(
            f"{model} is quantized, and quantized weights cannot be trained. For adapters that the engine serves on "
            f"it: python -m training dequantize {model} --output models/base, then --base models/base. "
            "The model that it was made of can be trained too, but AWQ has changed what its layers read, so that an "
            "adapter of that one serves the checkpoint less well"
        )


def device_memory(limit: float | None) -> int:
    """Bytes that training may use: those of the GPU, or without one those that are free; ``limit`` GiB at most."""
    if torch.cuda.is_available():
        there_are = torch.cuda.get_device_properties(0).total_memory
    else:
        there_are = psutil.virtual_memory().available
    return min(there_are, int(limit * GIB)) if limit else there_are


def load_base(model: str, precision: Precision, context: int = SHORT + 1) -> Any:
    """Load a base model to train an adapter on, on the GPU if there is one.

    Args:
        context: longest example, in tokens.

    Raises:
        ModelUnavailable: it cannot be loaded.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    plain = device == "cpu" and context <= SHORT
    dtype = torch.float32 if precision is Precision.FLOAT32 else torch.bfloat16
    quantization = four_bits() if precision is Precision.NF4 else None
    if device == "cpu":
        keep_freed_memory()
    try:
        return AutoModelForCausalLM.from_pretrained(
            model,
            dtype=dtype,
            device_map={"": device},
            attn_implementation="eager" if plain else None,
            quantization_config=quantization,
            local_files_only=Path(model).is_dir(),
        )
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelUnavailable(f"base model {model!r} cannot be loaded in {precision}: {reason}") from error


def compile_blocks(base: Any) -> None:
    """Have a processor train faster: the blocks compiled, where a C++ compiler and PyTorch's headers are.

    On a GPU the time goes into matrix products, which compiling does not change.
    """
    if torch.cuda.is_available():
        return
    if not shutil.which("g++") or not (Path(torch.__file__).parent / "include").exists():
        return
    for block in base.model.layers:
        block.compile(dynamic=True)


def four_bits() -> BitsAndBytesConfig:
    """QLoRA's form (Dettmers et al., 2023): NormalFloat, with quantized scales, computing in bfloat16.

    Raises:
        ModelUnavailable: bitsandbytes, which computes in it, is not installed.
    """
    if not find_spec("bitsandbytes"):
        raise ModelUnavailable("a base in 4 bits needs bitsandbytes; run scripts/setup.sh train gpu")
    return BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
