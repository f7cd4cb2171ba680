"""A verifier of this project on OpenVINO: a folder with the graph, the tokenizer and a configuration.

``verifier.json`` says how it was trained to be used: ``tokens``, the longest pair, and ``scale`` and ``bias``, which
make probabilities of its logits (fitted on held-out pairs).
"""

import json
import sys
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge_store.turns import Turns
from system.verifier.base import Probabilities, Reading, VerifierUnavailable
from system.verifier.batching import Batch, Encoded, judge

GRAPH, TOKENIZER, CONFIG = "verifier.xml", "tokenizer.json", "verifier.json"
POSITIONS = 512
"""The longest pair that the encoder has positions for."""


class OpenVinoVerifier:
    """Verifier of a folder that ``python -m training verifier`` wrote; English only."""

    language = "en"

    def __init__(self, folder: Path) -> None:
        """Load it.

        Raises:
            VerifierUnavailable: a file is missing or damaged.
        """
        try:
            self._load(folder)
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            reason = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise VerifierUnavailable(
                f"verifier {folder}: cannot be read ({reason[0]}); expected {GRAPH}, its .bin, {TOKENIZER} and {CONFIG}"
                " as 'python -m training verifier' writes them; install the package again, or give another --verifier"
            ) from error

    def _load(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        for name in (GRAPH, Path(GRAPH).with_suffix(".bin").name, TOKENIZER, CONFIG):
            if not (folder / name).is_file():
                raise FileNotFoundError(f"{name} is missing")
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        self._longest = int(config["tokens"])
        self._scale, self._bias = float(config["scale"]), np.array(config["bias"], np.float32).reshape(len(Reading))
        if not (0 < self._scale < np.inf and np.isfinite(self._bias).all() and 0 < self._longest <= POSITIONS):
            raise ValueError(f"{CONFIG}: expected tokens up to {POSITIONS}, a scale above 0 and finite numbers as bias")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(f"{TOKENIZER}: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        model = _compiled(folder / GRAPH)
        places = model.get_property("NUM_STREAMS")
        self._requests: SimpleQueue[Any] = SimpleQueue()  # each holds its buffers
        for _ in range(places):
            self._requests.put(model.create_infer_request())
        self._turns = Turns("verifier", places)

    def probabilities(self, pairs: Any) -> Probabilities:
        """See ``Verifier``."""
        return judge(pairs, self._encode, self._logits, self._turns, self._tokenizer.token_to_id("[PAD]") or 0)

    def _encode(self, passage: str, statement: str) -> Encoded | None:
        """The pair's tokens, the passage cut to what the statement leaves of the longest pair."""
        second = self._tokenizer.encode(statement[: POSITIONS * 100]).ids[1:]
        room = self._longest - len(second) - 1
        if room < self._longest // 4:
            return None
        first = self._tokenizer.encode(passage[: room * 100]).ids
        first = first if len(first) <= room + 1 else [*first[:room], first[-1]]
        return Encoded([*first, *second], [0] * len(first) + [1] * len(second))

    def _logits(self, batch: Batch) -> NDArray[np.float32]:
        request = self._requests.get()
        try:
            logits: NDArray[np.float32] = request.infer([*batch])[0] * self._scale + self._bias
        finally:
            self._requests.put(request)
        return logits


def _compiled(graph: Path) -> Any:
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # which makes its import fail
    from openvino import Core

    # A core for each of several batches serves many claims fairer than all cores for each batch, and as fast.
    # One scale for all numbers of a token in the integer products: a sixth faster, 494 of 500 labels the same.
    options = {"PERFORMANCE_HINT": "THROUGHPUT", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "384"}
    return Core().compile_model(str(graph), "CPU", options)
