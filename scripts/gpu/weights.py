"""Weights of an encoder or a reader as integers of 8 bits with a scale for each row, and the mean of two readers."""

import argparse
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.reader.network import WEIGHTS


def pack(folder: Path, file: Path) -> None:
    """Write the packed weights of a folder: a quarter of their size."""
    packed: dict[str, Tensor] = {}
    for name, value in load_file(folder / WEIGHTS).items():
        if value.dim() > 1 and value.is_floating_point():
            packed[f"{name}.scale"] = value.float().abs().amax(-1, keepdim=True).clamp_min(1e-12) / 127
            value = (value / packed[f"{name}.scale"]).round().to(torch.int8)
        packed[name] = value
    save_file(packed, file)


def unpack(file: Path, folder: Path) -> None:
    """Write what ``pack`` packed as a folder's weights, in half precision."""
    packed = load_file(file)
    scales = {name: packed.pop(f"{name}.scale") for name in [*packed] if f"{name}.scale" in packed}
    packed |= {name: packed[name] * scale for name, scale in scales.items()}
    whole = {name: value.half() if value.is_floating_point() else value for name, value in packed.items()}
    save_file(whole, folder / WEIGHTS, metadata={"format": "pt"})


def mean(folder: Path, one: Path, other: Path) -> None:
    """Write the mean of two readers that began with the same weights (Wortsman et al., 2022, Model soups)."""
    shutil.copytree(one, folder, ignore=shutil.ignore_patterns("state.pt"), dirs_exist_ok=True)
    first, second = (load_file(reader / WEIGHTS) for reader in (one, other))
    both = {name: ((value.float() + second[name].float()) / 2).half() for name, value in first.items()}
    save_file(both, folder / WEIGHTS, metadata={"format": "pt"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.gpu.weights", description=__doc__)
    parser.add_argument("action", choices=("pack", "unpack", "mean"))
    parser.add_argument(
        "paths", type=Path, nargs="+", help="source, target; of a mean the target first, then two readers"
    )
    options = parser.parse_args()
    {"pack": pack, "unpack": unpack, "mean": mean}[options.action](*options.paths)  # type: ignore[operator]
