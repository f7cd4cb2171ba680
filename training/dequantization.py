"""Dequantize a 4-bit checkpoint into a model that can be trained.

AWQ multiplies the input channels of a layer by factors and divides the layer before by the same factors, so a quantized
model has other activations than its original. An adapter that is trained on the dequantized weights reads the
activations that it will read in the engine; one that is trained on the original model does not, though its shapes fit.

Two formats are read: AutoAWQ's (``qweight``, ``qzeros``, ``scales``) and llm-compressor's (``weight_packed``, …).
Example: ``dequantize("Qwen/Qwen2.5-14B-Instruct-AWQ", Path("models/base"))``.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import torch
from huggingface_hub import snapshot_download
from safetensors.torch import load_file, save_file
from torch import Tensor
from tqdm import tqdm

from training import TrainingError

INTERLEAVED = (0, 4, 1, 5, 2, 6, 3, 7)  # place in AutoAWQ's word of each of eight columns
ORIGIN = "dequantized_from"  # key of the configuration that names the 4-bit checkpoint
IN_ORDER = tuple(range(8))
CONFIG = "config.json"
INDEX = "model.safetensors.index.json"

AUTOAWQ = ("qweight", "qzeros", "scales")
COMPRESSED = ("weight_packed", "weight_zero_point", "weight_scale")
REMAINS = ("weight_shape",)


def dequantize(model: str, output: Path) -> None:
    """Write the model that a 4-bit checkpoint, a folder or a name on the hub, stands for; its configuration last."""
    source = _source(model)
    config = _config(source) | {ORIGIN: Path(model).name if Path(model).is_dir() else model}
    output.mkdir(parents=True, exist_ok=True)
    places: dict[str, str] = {}
    for file in tqdm(sorted(source.glob("*.safetensors")), unit="file", desc="dequantizing", disable=None):
        tensors = dequantized(load_file(file))
        save_file(tensors, output / file.name, metadata={"format": "pt"})
        places |= dict.fromkeys(tensors, file.name)
    (output / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": places}), encoding="utf-8")
    for path in source.iterdir():
        if path.is_file() and path.suffix in (".json", ".jinja", ".txt") and path.name not in (CONFIG, INDEX):
            shutil.copy(path, output / path.name)
    (output / CONFIG).write_text(json.dumps(config, indent=2), encoding="utf-8")


def dequantized(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a checkpoint file's tensors with each packed layer as one weight (out, in), in the type of its scales."""
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        layer, _, kind = name.rpartition(".")
        if kind == AUTOAWQ[0]:  # (in, out / 8), (in / group, out / 8), (in / group, out)
            q, zeros, scales = (tensors[f"{layer}.{part}"] for part in AUTOAWQ)
            found[f"{layer}.weight"] = _weight(_unpack(q, INTERLEAVED).T, _unpack(zeros, INTERLEAVED).T, scales.T)
        elif kind == COMPRESSED[0]:  # (out, in / 8), (out / 8, in / group), (out, in / group)
            q, zeros, scales = (tensors[f"{layer}.{part}"] for part in COMPRESSED)
            found[f"{layer}.weight"] = _weight(_unpack(q, IN_ORDER), _unpack(zeros.T, IN_ORDER).T, scales)
        elif kind not in (*AUTOAWQ, *COMPRESSED, *REMAINS):
            found[name] = tensor
    return found


def _source(model: str) -> Path:
    """Return the folder of a checkpoint, fetching it if needed."""
    try:
        source = Path(model) if Path(model).is_dir() else Path(snapshot_download(model))
    except (OSError, ValueError) as error:
        raise TrainingError(
            f"{model}: not found as a folder or on the model hub ({error}); give a 4-bit checkpoint"
        ) from error
    if not (source / CONFIG).is_file():
        raise TrainingError(f"{source}: expected a 4-bit checkpoint, {CONFIG} not found")
    return source


def _config(source: Path) -> dict[str, object]:
    config: dict[str, object] = json.loads((source / CONFIG).read_text(encoding="utf-8"))
    method = config.pop("quantization_config", None)
    if isinstance(method, dict):
        is_awq = method.get("quant_method") == "awq" and method.get("version") == "gemm"
        if is_awq or method.get("format") == "pack-quantized":
            return config
    raise TrainingError(
        f"{source}: expected a 4-bit checkpoint of AutoAWQ (gemm) or llm-compressor (pack-quantized), got {method}; "
        "an unquantized model can be trained as it is"
    )


def _weight(q: Tensor, zeros: Tensor, scales: Tensor) -> Tensor:
    """Return the weight (out, in) of values (out, in) with zero points and scales (out, in / group)."""
    group = q.shape[1] // scales.shape[1]
    shifted = q - zeros.repeat_interleave(group, dim=1)
    return (shifted * scales.float().repeat_interleave(group, dim=1)).to(scales.dtype).contiguous()


def _unpack(words: Tensor, places: tuple[int, ...]) -> Tensor:
    """Return values 0 to 15 as float32, eight from each int32 of a row."""
    nibbles = [(words >> (4 * place)) & 15 for place in places]
    return torch.stack(nibbles, dim=-1).flatten(-2).float()
