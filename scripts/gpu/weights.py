"""Pack the weights of an encoder or a reader into bytes, a quarter of their size, and unpack them.

python -m scripts.gpu.weights pack FOLDER FILE      matrices as integers of 8 bits with a scale for each row
python -m scripts.gpu.weights unpack FILE FOLDER    as FOLDER/model.safetensors, in half precision
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

WEIGHTS = "model.safetensors"


def pack(folder: Path, file: Path) -> None:
    """Write the packed weights of a folder."""
    packed: dict[str, Tensor] = {}
    for name, value in load_file(folder / WEIGHTS).items():
        if value.dim() < 2 or not value.is_floating_point():
            packed[name] = value
            continue
        scale = value.float().abs().amax(-1, keepdim=True).clamp_min(1e-12) / 127
        packed[name], packed[f"{name}.scale"] = (value / scale).round().to(torch.int8), scale
    save_file(packed, file)


def unpack(file: Path, folder: Path) -> None:
    """Write the weights that ``pack`` packed."""
    packed = load_file(file)
    whole = {
        name: (value.float() * packed[f"{name}.scale"] if f"{name}.scale" in packed else value).half()
        if value.is_floating_point() or value.dtype == torch.int8
        else value
        for name, value in packed.items()
        if not name.endswith(".scale")
    }
    save_file(whole, folder / WEIGHTS, metadata={"format": "pt"})


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
