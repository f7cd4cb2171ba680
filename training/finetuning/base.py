"""The base model that an adapter is trained on, in the precision that fits the device's memory.

``choose_precision`` compares plans: bfloat16, or NF4 (QLoRA) if bfloat16 does not fit; float32 without a GPU. The sums
are upper estimates for LoRA with gradient checkpointing, and ``scripts/benchmarks/training.py`` measures a step beside
them. Example: ``load_base(model, choose_precision(skeleton(model), RECIPES["qg"], device_memory(None)).precision)``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, BitsAndBytesConfig

from system.hardware.memory import GIB, RUNTIME
from system.models.base import ModelUnavailable, first_line
from training import TrainingError
from training.finetuning.recipes import Recipe

SPARE = 0.03  # share of the device's memory that is left free, because allocators fragment


class Precision(StrEnum):
    """Form of the frozen weights."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    NF4 = "nf4"


# Bytes of a frozen weight. NF4 (Dettmers et al., 2023): 4 bits, a quantized scale of 8 bits for each 64 weights, and
# a scale of 32 bits for each 256 of these.
WEIGHT = {Precision.FLOAT32: 4.0, Precision.BFLOAT16: 2.0, Precision.NF4: (4 + 8 / 64 + 32 / (64 * 256)) / 8}

# Bytes of a trained weight, with its gradient and Adam's two moments: all in float32, or beside NF4 weights in bfloat16
# with 8-bit moments.
TRAINED = {Precision.FLOAT32: 16.0, Precision.BFLOAT16: 16.0, Precision.NF4: 6.0}


@dataclass(frozen=True)
class TrainingPlan:
    """Memory of a training, in bytes.

    Attributes:
        total: memory that may be used.
        per_token: activations of one token: the inputs of all blocks, and what one block keeps for its gradient.
        context: maximum length of an example, in tokens.
        tokens: maximum tokens per forward pass, a multiple of ``context``.
    """

    precision: Precision
    total: int
    weights: int
    adapter: int
    per_token: int
    context: int
    tokens: int

    @property
    def activations(self) -> int:
        """Activations of the largest forward pass."""
        return self.per_token * self.tokens

    @property
    def needed(self) -> int:
        """Sum of all purposes."""
        return self.weights + self.adapter + self.activations + RUNTIME

    @property
    def fits(self) -> bool:
        """Whether the device has that much."""
        return self.needed <= self.total * (1 - SPARE)

    @property
    def longest(self) -> int:
        """Longest context that fits, in tokens; 0 if not even the weights fit."""
        left = int(self.total * (1 - SPARE)) - (self.needed - self.activations)
        return max(0, left // (self.per_token * (self.tokens // self.context)))

    def __str__(self) -> str:
        rows = {
            f"frozen weights, {self.precision}": self.weights,
            "adapter, gradients, optimizer": self.adapter,
            f"activations ({self.tokens:,} tokens of {self.per_token / 1024:,.0f} KiB)": self.activations,
            "runtime": RUNTIME,
            "needed": self.needed,
            "available": self.total,
        }
        return "\n".join(f"  {name:<44}{size / GIB:8.2f} GiB" for name, size in rows.items())


def choose_precision(bare: Any, recipe: Recipe, memory: int, gpu: bool) -> TrainingPlan:
    """Return the plan with the most exact weights that fits.

    Args:
        bare: base model without weights (``system.hardware.memory.skeleton``).
        memory: bytes that may be used.
        gpu: whether there is a GPU.

    Raises:
        TrainingError: no precision fits; the message has the sums and the longest context that would fit.
    """
    precisions = (Precision.BFLOAT16, Precision.NF4) if gpu else (Precision.FLOAT32,)
    plans = [plan_training(bare, recipe, precision, memory) for precision in precisions]
    for plan in plans:
        if plan.fits:
            return plan
    last = plans[-1]
    remedy = f"--context {last.longest} would fit" if last.longest else "take a smaller base or a larger device"
    raise TrainingError(f"the training does not fit in memory:\n{last}\n{remedy}")


def plan_training(bare: Any, recipe: Recipe, precision: Precision, memory: int) -> TrainingPlan:
    """Plan a training's memory in a precision. NF4 applies to the linear layers of the blocks only."""
    config = bare.config
    projections = list(_projections(bare))
    in_blocks = sum(layer.weight.numel() for layer in projections)
    elsewhere = sum(parameter.numel() for parameter in bare.parameters()) - in_blocks
    trained = recipe.rank * sum(layer.in_features + layer.out_features for layer in projections)
    unquantized = WEIGHT[Precision.BFLOAT16 if precision is Precision.NF4 else precision]
    width = 2 if precision is Precision.NF4 else 4  # bytes of the adapter's weights and inputs
    return TrainingPlan(
        precision=precision,
        total=memory,
        weights=int(in_blocks * WEIGHT[precision] + elsewhere * unquantized),
        adapter=int(trained * TRAINED[precision]),
        per_token=int(unquantized * config.hidden_size * config.num_hidden_layers + _block(config, projections, width)),
        context=recipe.context,
        tokens=recipe.tokens,
    )


def _projections(bare: Any) -> Iterator[nn.Linear]:
    """Yield the linear layers of the blocks: what is quantized, and what the adapter changes."""
    head = bare.get_output_embeddings()
    return (module for module in bare.modules() if isinstance(module, nn.Linear) and module is not head)


def _block(config: Any, projections: list[nn.Linear], adapter_width: int) -> float:
    """Return the bytes that one block keeps for one token while its gradient is computed.

    Each projection keeps its input for the adapter, in the adapter's precision, before and after dropout with a mask of
    one byte, and its output in 2 bytes. The two norms compute in float32. The widest gradients are those of the MLP.
    """
    layers = config.num_hidden_layers
    inputs = sum(layer.in_features for layer in projections) / layers
    outputs = sum(layer.out_features for layer in projections) / layers
    norms = 2 * 4 * config.hidden_size
    return float(inputs * (2 * adapter_width + 1) + outputs * 2 + norms + 4 * config.intermediate_size * adapter_width)


def check_trainable(model: str) -> None:
    """Check that a base model's weights can be trained; those of a quantized checkpoint cannot.

    Raises:
        TrainingError: the model is quantized; the message names the remedy.
        ModelUnavailable: there is no such model.
    """
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


def device_memory(limit: float | None) -> int:
    """Return the bytes that training may use: the GPU's, or free memory without a GPU; at most ``limit`` GiB."""
    if torch.cuda.is_available():
        there_are = torch.cuda.get_device_properties(0).total_memory
    else:
        there_are = psutil.virtual_memory().available
    return min(there_are, int(limit * GIB)) if limit else there_are


def load_base(model: str, precision: Precision) -> Any:
    """Load a base model to train an adapter on, on the GPU if there is one.

    Raises:
        ModelUnavailable: it cannot be loaded.
    """
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
    """Return QLoRA's quantization (Dettmers et al., 2023): NF4 with quantized scales, computing in bfloat16.

    Raises:
        ModelUnavailable: bitsandbytes, which computes in NF4, is not installed.
    """
    if not find_spec("bitsandbytes"):
        raise ModelUnavailable("a base in 4 bits needs bitsandbytes; run scripts/setup.sh train gpu")
    return BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
