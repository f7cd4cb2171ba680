"""all-MiniLM-L6-v2 on OpenVINO: the encoder of the base installation, which needs neither torch nor a model hub.

``minilm/`` has the graph with weights of 8 bits, the tokenizer and a configuration, written by
``python -m training.encoder``. Example: ``OpenVinoModel(BUNDLED).encode(["A text."])`` gives (1, 384) unit vectors.
"""

import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BUNDLED = Path(__file__).with_name("minilm")
NAME = "all-MiniLM-L6-v2"
"""The encoder that comes with this package and needs no torch."""
GRAPH, TOKENIZER, CONFIG = "encoder.xml", "tokenizer.json", "encoder.json"
CPU_BATCH = 1000
"""Characters that are embedded at a time on a CPU; larger batches are no faster, and other claims wait for each."""
_PER_TOKEN = 100  # characters; a longer text is cut before it is tokenized


class OpenVinoModel:
    """A sentence encoder in a folder: graph, tokenizer and configuration."""

    batch = CPU_BATCH
    symmetric = True

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        for name in (GRAPH, Path(GRAPH).with_suffix(".bin").name, TOKENIZER, CONFIG):
            if not (folder / name).is_file():
                raise FileNotFoundError(f"{folder / name} is missing")
        self._tokens = int(json.loads((folder / CONFIG).read_text(encoding="utf-8"))["tokens"])
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(f"{folder / TOKENIZER}: {error}") from error
        self._tokenizer.enable_truncation(self._tokens)
        self._tokenizer.no_padding()
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # importing it sends usage reports
        from openvino import Core

        model = Core().compile_model(str(folder / GRAPH), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        self._request = model.create_infer_request()

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> NDArray[np.float32]:
        """Embed texts; each row has length 1. Only one thread may call it at a time.

        Only texts of equally many tokens share a batch. Activations are rounded to 8 bits, so padding would change the
        third digit of a vector, and a verdict could depend on which other claims are checked.
        """
        cut = [text[: self._tokens * _PER_TOKEN] for text in texts]
        encoded = [tuple(one.ids) for one in self._tokenizer.encode_batch(cut)]
        places = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        vectors: dict[int, NDArray[np.float32]] = {}
        for _, group in groupby(places, key=lambda place: len(encoded[place])):
            batch = list(group)
            ids = np.array([encoded[place] for place in batch], dtype=np.int64)
            vectors |= zip(batch, self._request.infer([ids])[0].copy(), strict=True)
        return np.array([vectors[place] for place in range(len(texts))], dtype=np.float32)
