"""The reader's network: one encoder, one head for what a passage says of a statement, one for a claim's label."""

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer

from training import TrainingError

WEIGHTS = "model.safetensors"
HEADS = {"reading": 3, "label": 4}  # size of the output


def head(hidden: int, labels: int) -> nn.Module:
    """Return a dense layer with tanh over the first token, then the logits: (n, hidden) to (n, labels)."""
    dense, out = nn.Linear(hidden, hidden), nn.Linear(hidden, labels)
    return nn.Sequential(OrderedDict(dense=dense, tanh=nn.Tanh(), out=out))


class Network(nn.Module):
    """An encoder with the two heads; raises a ``TrainingError`` if there is no such encoder.

    Args:
        base: folder or hub name of an encoder, or folder of a reader, saved by ``train`` or exported.
        layers: how many of the encoder's lowest layers to keep; 0 for all.
    """

    def __init__(self, base: str | Path, layers: int = 0) -> None:
        super().__init__()
        try:
            config = AutoConfig.from_pretrained(base)
            self.tokenizer: Any = AutoTokenizer.from_pretrained(base)
            state = _saved_state(Path(base)) if getattr(config, "reader_heads", None) else None
            options: dict[str, Any] = {"attn_implementation": "eager"}
            if state:
                self.encoder: Any = AutoModel.from_config(config, **options)  # type: ignore[no-untyped-call]
            else:
                self.encoder = AutoModel.from_pretrained(base, dtype=torch.float32, **options)
        except (OSError, ValueError, RuntimeError) as error:
            raise TrainingError(
                f"encoder {base}: {str(error).splitlines()[0]}; give a folder or a name on the hub"
            ) from error
        self.encoder.pooler = None
        for module in self.encoder.modules():  # one pass over the rows needs none (docs/log.md: the third pass harms)
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        if layers:
            self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
            self.encoder.config.num_hidden_layers = layers
        hidden = self.encoder.config.hidden_size
        self.heads = nn.ModuleDict({name: head(hidden, labels) for name, labels in HEADS.items()})
        if state:
            wanted = self.state_dict()
            self.load_state_dict({name: value for name, value in state.items() if name in wanted})

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of both heads: ids and mask (n, tokens) to (n, labels)."""
        first = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0]
        return self.heads["reading"](first), self.heads["label"](first)

    def freeze(self, layers: int) -> None:
        """Keep the embeddings, the positions' bias and the lowest layers as they are."""
        if layers:
            above = self.encoder.encoder.layer[layers:]
            self.encoder.requires_grad_(False)
            above.requires_grad_(True)

    def save(self, folder: Path) -> None:
        """Write weights in half precision, configuration and tokenizer."""
        self.write_config(folder)
        self.tokenizer.save_pretrained(folder)
        state = {name: value.detach().half().cpu().contiguous() for name, value in self.state_dict().items()}
        save_file(state, folder / WEIGHTS, metadata={"format": "pt"})

    def write_config(self, folder: Path) -> None:
        """Write ``config.json``, which says that a folder holds a reader and how large it is."""
        folder.mkdir(parents=True, exist_ok=True)
        config = {name: value for name, value in self.encoder.config.to_dict().items() if value is not None}
        config.pop("_name_or_path", None)  # a folder of the machine that trained it
        config["reader_heads"] = list(HEADS)
        (folder / "config.json").write_text(json.dumps(config, indent=2, default=str) + "\n", encoding="utf-8")


def _saved_state(folder: Path) -> dict[str, Tensor]:
    """The weights that ``save`` or ``export`` wrote, in float32."""
    if not (folder / WEIGHTS).exists():
        from training.openvino import exported_state  # OpenVINO, which a borrowed GPU's machine may lack

        return exported_state(folder)
    return {name: value.float() for name, value in load_file(folder / WEIGHTS).items()}
