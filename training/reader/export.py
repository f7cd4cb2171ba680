"""Export a trained reader to OpenVINO, with weights of 8 bits, in files that a repository takes."""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from system.reader.openvino import CONFIG, GRAPH, TOKENIZER, WEIGHTS
from training.reader.arrays import LONGEST
from training.reader.network import Network

PART = 44 * 10**6  # bytes of a file of weights
_LARGE = 10_000  # numbers of a weight; smaller ones stay in float32


class _Logits(torch.nn.Module):
    """Both heads as one function of tensors, which is what can be traced."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.encoder, self.heads = network.encoder, network.heads

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        first = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0]
        return self.heads["reading"](first), self.heads["label"](first)


def export(reader: Path, output: Path) -> None:
    """Write graph, weights, tokenizer and a configuration without thresholds, which ``thresholds`` fits.

    Raises:
        TrainingError: ``reader`` is not the folder of a trained reader.
    """
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # which makes its import fail
    from openvino import save_model

    network = Network(reader).eval()
    graph = _traced(network)
    compress(graph)
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob(WEIGHTS):
        old.unlink()
    save_model(graph, str(output / GRAPH), compress_to_fp16=False)
    weights = (output / GRAPH).with_suffix(".bin")
    data = weights.read_bytes()
    for number, start in enumerate(range(0, len(data), PART)):
        (output / WEIGHTS.replace("*", str(number))).write_bytes(data[start : start + PART])
    weights.unlink()
    tokenizer = network.tokenizer.backend_tokenizer
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(output / TOKENIZER), pretty=False)
    write_config(output, {"reading": 1.0, "label": 1.0}, (0.7, 0.7))
    print(f"{output}: {len(data) / 1e6:.1f} MB of weights")


def write_config(folder: Path, temperature: dict[str, float], thresholds: tuple[float, float]) -> None:
    """Write ``reader.json``."""
    config = {
        "tokens": LONGEST,
        "temperature": {head: round(value, 3) for head, value in temperature.items()},
        "thresholds": {"supported": round(thresholds[0], 3), "refuted": round(thresholds[1], 3)},
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _traced(network: Network) -> Any:
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    example = network.tokenizer(["One passage."] * 2, ["Another, which is longer."] * 2, return_tensors="pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tracing is deprecated, and warns of branches that a CPU does not take
        tensors = (example["input_ids"], example["attention_mask"])
        decoder = TorchScriptPythonDecoder(_Logits(network).eval(), example_input=tensors)
        frontend = FrontEndManager().load_by_framework("pytorch")
        return frontend.convert(frontend.load(decoder))


def compress(graph: Any) -> None:
    """Turn the matrices of a graph into integers of 8 bits with a scale for each row."""
    from openvino import op, opset13

    for node in graph.get_ops():
        if node.get_type_name() != "Constant":
            continue
        values = node.data
        if values.ndim != 2 or values.size < _LARGE or values.dtype != np.float32:
            continue
        scale = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-8) / 127
        whole = np.clip(np.round(values / scale), -127, 127).astype(np.int8)
        readers = node.output(0).get_target_inputs()
        small = opset13.multiply(opset13.convert(op.Constant(whole), "f32"), op.Constant(scale.astype(np.float32)))
        for reader in readers:
            reader.replace_source_output(small.output(0))
    graph.validate_nodes_and_infer_types()
