"""What the exports of the encoder and of the reader to OpenVINO share: tracing, weights of 8 bits, the tokenizer; and
the way back from weights of 8 bits, to train on.

save_graph(module, example, Path("encoder.xml"))
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from system.reader.openvino import read_graph

_LARGE = 10_000  # numbers of a weight; smaller ones stay in float32


def save_graph(module: torch.nn.Module, example: tuple[torch.Tensor, ...], file: Path) -> None:
    """Write a module, traced with example inputs, as OpenVINO's graph; the graph takes other shapes too."""
    # OpenVINO sends usage reports when it is imported, unless the module that sends them cannot be imported.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    from openvino import save_model
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tracing is deprecated, and warns of branches that a CPU does not take
        decoder = TorchScriptPythonDecoder(module.eval(), example_input=example)
        frontend = FrontEndManager().load_by_framework("pytorch")
        graph = frontend.convert(frontend.load(decoder))
    compress(graph)
    save_model(graph, str(file), compress_to_fp16=False)


def compress(graph: Any) -> None:
    """Turn the large matrices of a graph into integers of 8 bits with a scale for each row."""
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


def save_tokenizer(tokenizer: Any, file: Path) -> None:
    """Write a ``tokenizers.Tokenizer`` without padding and truncation."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(file), pretty=False)


def exported_state(folder: Path) -> dict[str, torch.Tensor]:
    """Return the weights of an exported module by their names in PyTorch, in float32.

    Raises ``OSError`` or ``RuntimeError`` if a file is missing or damaged.
    """
    state = {}
    for node in read_graph(folder).get_ordered_ops():
        if node.get_type_name() != "Constant" or node.data.size < 2:
            continue
        name = node.get_friendly_name().removeprefix("self.")
        if node.data.dtype == np.int8:  # behind it stand a conversion, the product with the scales, and the layer
            product = _reader_of(_reader_of(node))
            scale = product.input_value(1).get_node().data
            layer = _reader_of(product).get_friendly_name()
            name = layer.removeprefix("__module.").partition("/")[0] + ".weight"
            state[name] = torch.from_numpy(node.data.astype(np.float32) * scale)
        elif name.endswith((".weight", ".bias")):
            state[name] = torch.from_numpy(node.data.astype(np.float32))
    return state


def _reader_of(node: Any) -> Any:
    return next(iter(node.output(0).get_target_inputs())).get_node()
