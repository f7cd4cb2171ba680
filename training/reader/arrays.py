"""The array file between ``data`` and ``train``: token ids of all pairs in one compressed NumPy archive.

It holds, for each part (``train``, ``held_out`` and one for each evaluation set), the ids of all rows end to end
(uint16), their lengths, labels, heads and two-way marks. An epoch of 12 million tokens is about 16 MB.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from training import TrainingError
from training.reader.pairs import Pair

LONGEST = 256  # tokens of a row; the evidence is cut
READING, LABEL = 0, 1  # which head a row is for
_FIELDS = ("ids", "lengths", "labels", "heads", "two_way")


@dataclass(frozen=True)
class Rows:
    """Encoded rows of one part.

    Attributes:
        ids: of all rows end to end, (tokens,) uint16.
        lengths, labels, heads, two_way: (rows,).
    """

    ids: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    labels: NDArray[np.int8]
    heads: NDArray[np.int8]
    two_way: NDArray[np.bool_]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each row begins in ``ids``, and the end: (rows + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def joined(cls, parts: Sequence["Rows"]) -> "Rows":
        """The rows of several."""
        return cls(*(np.concatenate([getattr(part, field) for part in parts]) for field in _FIELDS))

    def padded(self, batch: Sequence[int], padding: int) -> Tensor:
        """Return the ids of some rows, (rows, longest)."""
        parts = [self.ids[self.starts[row] : self.starts[row + 1]].astype(np.int64) for row in batch]
        return pad_sequence([torch.from_numpy(part) for part in parts], batch_first=True, padding_value=padding)


def encode(tokenizer: Any, pairs: Sequence[Pair], head: int) -> Rows:
    """Encode pairs for one head; evidence is cut to fit, a statement is not.

    Pairs whose statement alone fills the length are left out.
    """
    ids: list[list[int]] = []
    kept: list[Pair] = []
    for start in range(0, len(pairs), 4096):
        part = pairs[start : start + 4096]
        alone = tokenizer([pair.statement for pair in part])["input_ids"]
        part = [pair for pair, tokens in zip(part, alone, strict=True) if len(tokens) <= LONGEST - 16]
        texts = [pair.evidence for pair in part], [pair.statement for pair in part]
        ids += tokenizer(*texts, truncation="only_first", max_length=LONGEST)["input_ids"]
        kept += part
    return Rows(
        np.concatenate([np.array(one, np.uint16) for one in ids]) if ids else np.zeros(0, np.uint16),
        np.array([len(one) for one in ids], np.int32),
        np.array([pair.label for pair in kept], np.int8),
        np.full(len(kept), head, np.int8),
        np.array([pair.two_way for pair in kept], np.bool_),
    )


def write_arrays(file: Path, parts: dict[str, Rows]) -> None:
    """Write parts to one archive."""
    file.parent.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {
        f"{name}/{field}": getattr(rows, field) for name, rows in parts.items() for field in _FIELDS
    }
    with file.open("wb") as out:
        np.savez_compressed(out, **arrays)


def read_arrays(file: Path) -> dict[str, Rows]:
    """Read the parts of an archive.

    Raises:
        TrainingError: the file is missing, or no such archive.
    """
    try:
        with np.load(file) as arrays:
            names = dict.fromkeys(key.rpartition("/")[0] for key in arrays.files)
            parts = {name: Rows(*(arrays[f"{name}/{field}"] for field in _FIELDS)) for name in names}
    except (OSError, ValueError, KeyError) as error:
        raise TrainingError(
            f"{file}: no array file ({error}); make one with 'python -m training reader data'"
        ) from error
    if "train" not in parts:
        raise TrainingError(f"{file}: expected a part 'train', got {', '.join(parts) or 'none'}")
    return parts


def batches(rows: Rows, budget: int, rng: Random | None, window: int = 3000) -> list[list[int]]:
    """Return rows by batch: one head each, similar lengths together, at most ``budget`` tokens with padding.

    Args:
        rng: shuffles rows and batches; None keeps rows in the order of their length.
    """
    order = list(range(len(rows)))
    if rng:
        rng.shuffle(order)
    size = window if rng else max(1, len(order))
    found: list[list[int]] = []
    for start in range(0, len(order), size):
        part = sorted(order[start : start + size], key=lambda row: (rows.heads[row], rows.lengths[row]))
        inside: list[list[int]] = []
        for row in part:
            length = int(rows.lengths[row])
            if inside and rows.heads[inside[-1][0]] == rows.heads[row] and length * (len(inside[-1]) + 1) <= budget:
                inside[-1].append(row)
            else:
                inside.append([row])
        if rng:
            rng.shuffle(inside)
        found += inside
    return found
