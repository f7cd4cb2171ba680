"""The bundled reader on OpenVINO: ``reader.xml``, its weights in parts, ``tokenizer.json`` and ``reader.json``.

One pass gives the logits of both heads. The weights are integers of 8 bits, in files of at most 45 MB that are joined
in memory. ``reader.json`` has ``tokens``, the longest pair; the temperature of each head; and the two thresholds of
``reading.decide``, all fitted on held-out data by ``python -m training reader``.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge_store.turns import Turns, batches
from system.reader.base import VERDICTS, Probabilities, ReaderUnavailable, Relation
from system.text.quantities import SPACED

GRAPH, WEIGHTS, TOKENIZER, CONFIG = "reader.xml", "reader-*.bin", "tokenizer.json", "reader.json"
POSITIONS = 512  # the longest pair that the encoder has positions for
_MINUS = re.compile(r"(?<![\w.])(?<!\d\s)[-−](?=\d)")
_TIME = re.compile(r"\b(1[0-2]|0?[1-9])(?:[.:]([0-5]\d))?\s?([ap])(?:\.m\.|m\b)", re.IGNORECASE)
_SPACED = re.compile(rf"(?<![\d.,]){SPACED}(?!\d)")
_THOUSANDS = re.compile(r"\b(\d{1,3}),?(\d{3}) (m|b)illion\b")
_FRACTION = re.compile(r"\b0\.(\d{1,3}) (tr|b)illion\b")
LABEL_TOKENS = 384  # of a claim and its evidence; that many are trained on
BATCH_TOKENS = 1024  # of a batch, padding included; larger ones are no faster, and other claims wait for each


class OpenVinoReader:
    """The reader of a folder that ``python -m training reader export`` wrote; English only.

    Attributes:
        thresholds: probabilities from which a page supports and refutes; see ``reading.decide``.

    Raises:
        ReaderUnavailable: a file is missing or damaged.
    """

    language = "en"

    def __init__(self, folder: Path) -> None:
        try:
            self._load(folder)
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            reason = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise ReaderUnavailable(
                f"reader {folder}: cannot be read ({reason[0]}); expected {GRAPH}, {WEIGHTS}, {TOKENIZER} and {CONFIG} "
                "from 'python -m training reader export'; install the package again, or give another --verifier"
            ) from error

    def _load(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        self._longest = int(config["tokens"])
        self._scales = [1 / float(config["temperature"][head]) for head in ("reading", "label")]
        self.thresholds = (float(config["thresholds"]["supported"]), float(config["thresholds"]["refuted"]))
        if not (0 < self._longest <= POSITIONS and np.isfinite(self._scales).all()):
            raise ValueError(f"{CONFIG}: expected tokens up to {POSITIONS} and temperatures above 0")
        if not all(0 <= one <= 1 for one in self.thresholds):
            raise ValueError(f"{CONFIG}: expected thresholds from 0 to 1, got {self.thresholds}")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(f"{TOKENIZER}: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        model = _compiled(folder)
        self._places = places = model.get_property("NUM_STREAMS")
        self._requests: SimpleQueue[Any] = SimpleQueue()  # each holds its buffers
        for _ in range(places):
            self._requests.put(model.create_infer_request())
        self._turns = Turns("reader", places)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """See ``Reader``."""
        return self._judge(pairs, 0, len(Relation), Relation.NOT_ENOUGH)

    def labels(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """See ``Reader``."""
        return self._judge(pairs, 1, len(VERDICTS), 2)

    def _judge(self, pairs: Sequence[tuple[str, str]], head: int, columns: int, unread: int) -> Probabilities:
        result = np.zeros((len(pairs), columns), np.float32)
        result[:, unread] = 1
        encoded = {
            place: ids for place, pair in enumerate(pairs) if (ids := self._encode(pair[0], pair[1], labels=head == 1))
        }
        lengths = [*map(len, encoded.values())] or [0]
        share = sum(lengths) // self._places + max(lengths)  # so that a single claim uses every core
        chosen = [*batches(encoded, lambda place: len(encoded[place]), min(BATCH_TOKENS, share))]
        padded = (self._padded([encoded[place] for place in places]) for places in chosen)
        for places, logits in zip(chosen, self._turns.map(self._logits, padded), strict=True):
            result[places] = softmax(logits[head] * self._scales[head])
        return result

    def _encode(self, passage: str, statement: str, *, labels: bool) -> list[int]:
        """The pair's tokens, the passage cut to fit; none if there is nothing to read or the statement is too long.

        Args:
            labels: whether it is for the second head, which reads a claim without evidence too.
        """
        passage, statement = _clean(passage), _clean(statement)
        if not statement or not (passage or labels):
            return []
        second: list[int] = self._tokenizer.encode(statement[: POSITIONS * 100]).ids
        room = (LABEL_TOKENS if labels else self._longest) - len(second) - 2
        if room < self._longest // 4:
            return []
        first: list[int] = self._tokenizer.encode(passage[: room * 100]).ids
        first = first if len(first) <= room + 2 else [*first[: room + 1], first[-1]]
        return [*first, first[-1], *second[1:]]  # <s> passage </s></s> statement </s>

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        shape = (len(rows), max(map(len, rows)))
        ids, mask = np.full(shape, self._tokenizer.token_to_id("<pad>") or 0, np.int64), np.zeros(shape, np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = row, 1
        return ids, mask

    def _logits(self, batch: tuple[NDArray[np.int64], NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        request = self._requests.get()
        try:
            found = request.infer([*batch])
            return [found[0].copy(), found[1].copy()]
        finally:
            self._requests.put(request)


def softmax(logits: NDArray[np.float32]) -> Probabilities:
    """Return the probabilities of each row."""
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Probabilities = (exponents / exponents.sum(axis=1, keepdims=True)).astype(np.float32)
    return probabilities


def _clean(text: str) -> str:
    """A text without lone surrogates, which no tokenizer can read, with numbers and times in one form.

    >>> _clean("12 300,5 or 12’300.5 or 2 200 million or 0.5 billion, from 3-4 to −5 at 7.30 p.m.")
    '12,300.5 or 12,300.5 or 2.2 billion or 500 million, from 3-4 to minus 5 at 19:30'
    """
    text = _MINUS.sub("minus ", text.encode("utf-8", "replace").decode("utf-8").strip())
    text = _TIME.sub(lambda time: f"{int(time[1]) % 12 + 12 * (time[3] in 'pP')}:{time[2] or '00'}", text)
    text = _SPACED.sub(lambda number: re.sub(r"[\s'’]", ",", number[0].replace(",", ".")), text)
    text = _FRACTION.sub(lambda n: f"{int(n[1].ljust(3, '0'))} {'m' if n[2] == 'b' else 'b'}illion", text)
    return _THOUSANDS.sub(lambda n: f"{float(f'{n[1]}.{n[2]}'):g} {'b' if n[3] == 'm' else 'tr'}illion", text)


def read_graph(folder: Path) -> Any:
    """Return the OpenVINO model of a folder, its weights joined.

    Raises:
        OSError, RuntimeError: a file is missing or damaged.
    """
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # which makes its import fail
    from openvino import Core, Tensor

    parts = sorted(folder.glob(WEIGHTS))
    if not parts:
        raise FileNotFoundError(f"{WEIGHTS} is missing")
    weights = np.concatenate([np.fromfile(part, np.uint8) for part in parts])
    return Core().read_model((folder / GRAPH).read_bytes(), Tensor(weights))


def _compiled(folder: Path) -> Any:
    model = read_graph(folder)
    from openvino import Core

    # A core for each of several batches serves many claims fairer than all cores for each batch, and as fast.
    options = {"PERFORMANCE_HINT": "THROUGHPUT", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "64"}
    return Core().compile_model(model, "CPU", options)
