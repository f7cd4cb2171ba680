"""Export of a trained verifier to OpenVINO, with weights of 8 bits, and its calibration."""

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from sentence_transformers import CrossEncoder

from system.verifier.base import Probabilities
from system.verifier.openvino import CONFIG, GRAPH, TOKENIZER
from training.verifier.pairs import LABELS, Pair

_OWN = "self._model."  # before the names of constants, since the traced module holds the network as ``_model``
_LARGE = 10_000  # numbers of a weight; smaller ones stay as they are


class _Logits(torch.nn.Module):
    """A cross-encoder as a function of tensors, which is what can be traced."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self._model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        return logits


def export(model: CrossEncoder, folder: Path, longest: int) -> None:
    """Write graph, tokenizer and an uncalibrated configuration."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # which makes its import fail
    from openvino import save_model

    graph = _traced(model)
    _compress(graph)
    folder.mkdir(parents=True, exist_ok=True)
    save_model(graph, str(folder / GRAPH), compress_to_fp16=False)
    model.tokenizer.backend_tokenizer.no_padding()
    model.tokenizer.backend_tokenizer.no_truncation()
    model.tokenizer.backend_tokenizer.save(str(folder / TOKENIZER), pretty=False)
    write_config(folder, longest, 1.0, [0.0, 0.0, 0.0])


def write_config(folder: Path, longest: int, scale: float, bias: Sequence[float]) -> None:
    """Write ``verifier.json``."""
    config = {
        "labels": LABELS,
        "tokens": longest,
        "scale": round(scale, 4),
        "bias": [round(value, 4) for value in bias],
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _traced(model: Any) -> Any:
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    example = model.tokenizer(["One passage."] * 2, ["Another, which is longer."] * 2, return_tensors="pt")
    tensors = tuple(example[name] for name in ("input_ids", "attention_mask", "token_type_ids"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing: that it is deprecated, and of branches that a CPU does not take
        network: Any = model.model
        decoder = TorchScriptPythonDecoder(_Logits(network.float()).eval(), example_input=tensors)
        frontend = FrontEndManager().load_by_framework("pytorch")
        return frontend.convert(frontend.load(decoder))


def _compress(graph: Any) -> None:
    """Matrices as integers of 8 bits with a scale for each row."""
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


def restored(folder: Path) -> dict[str, torch.Tensor]:
    """The weights of a bundle by their names in transformers, to train further: its 8 bits, as float32."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # which makes its import fail
    from openvino import Core

    found = {}
    for node in Core().read_model(str(folder / GRAPH)).get_ops():
        if node.get_type_name() != "Constant":
            continue
        if node.data.dtype == np.int8:
            product = _reader(_reader(node))  # a conversion, then the product with the scales
            values = node.data * product.input_value(1).get_node().data
            name = _reader(product).get_friendly_name().removeprefix("__module._model.").partition("/")[0] + ".weight"
        elif node.get_friendly_name().startswith(_OWN):
            name, values = node.get_friendly_name().removeprefix(_OWN), node.data
        else:
            continue
        found[name] = torch.from_numpy(np.array(values))
    found.pop("bert.embeddings.position_ids", None)  # a constant of the tracing
    return {name: values.reshape(-1) if name.endswith("bias") else values for name, values in found.items()}


def _reader(node: Any) -> Any:
    return next(iter(node.output(0).get_target_inputs())).get_node()


def fit(logits: NDArray[np.float32], pairs: Sequence[Pair]) -> tuple[float, list[float]]:
    """Scale and bias that make the likeliest probabilities of these logits (vector scaling, Guo et al., 2017).

    Each source weighs the same, however many pairs it has.
    """
    truth = np.array([LABELS.index(pair.label) for pair in pairs])
    counts = {source: sum(pair.source == source for pair in pairs) for source in {pair.source for pair in pairs}}
    weights = np.array([counts[pair.source] ** -0.5 for pair in pairs])

    def loss(parameters: NDArray[np.float64]) -> float:
        scaled = logits * np.exp(parameters[0]) + np.append(parameters[1:], 0.0)
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        chosen = scaled[np.arange(len(truth)), truth] - np.log(np.exp(scaled).sum(axis=1))
        return float(-(weights * chosen).sum() / weights.sum())

    found = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"maxiter": 2000})
    bias = np.append(found.x[1:], 0.0)
    return float(np.exp(found.x[0])), list(map(float, bias - bias.mean()))


def threshold(pairs: Sequence[Pair], probabilities: Probabilities) -> float:
    """The lowest probability of a side at which at most 5 % of the pairs of the other side are called it."""
    truth = np.array([LABELS.index(pair.label) for pair in pairs])
    best = 0.0
    for side, other in ((0, 1), (1, 0)):
        opposite = probabilities[truth == other]
        called = np.where(opposite.argmax(axis=1) == side, opposite[:, side], 0.0)
        best = max(best, float(np.quantile(called, 0.95)) if len(called) else 0.0)
    return best
