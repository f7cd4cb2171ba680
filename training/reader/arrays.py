"""The array file between ``data`` and ``train``: the encoded pairs of an epoch in one compressed NumPy archive.

It holds the token ids of all rows end to end (uint16), and each row's length, label, head and marks (two-way,
invented). An epoch of 12 million tokens is about 16 MB.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from training import TrainingError

LONGEST = 256  # tokens of a row; the evidence is cut
READING, LABEL = 0, 1  # which head a row is for
WINDOW = 3000  # rows among which those of similar length share a batch


class Row(NamedTuple):
    """An encoded pair: token ids, (tokens,) uint16; label and two-way mark as in ``Pair``; and its head."""

    ids: NDArray[np.uint16]
    label: int
    head: int
    two_way: bool
    invented: bool  #: whether the pair was invented; then a teacher is not asked


def write_rows(file: Path, rows: Sequence[Row]) -> None:
    """Write rows to an archive."""
    file.parent.mkdir(parents=True, exist_ok=True)
    ids, labels, heads, two_way, invented = zip(*rows, strict=True)
    joined, lengths = np.concatenate(ids), np.array([*map(len, ids)], np.int32)
    marks = np.array([labels, heads, two_way, invented], np.int8)
    with file.open("wb") as out:
        np.savez_compressed(out, ids=joined, lengths=lengths, marks=marks)


def read_rows(file: Path) -> list[Row]:
    """Read the rows of an archive; raises a ``TrainingError`` if the file is missing, or no such archive."""
    try:
        with np.load(file) as arrays:
            ids, lengths = arrays["ids"], arrays["lengths"]
            labels, heads, *others = arrays["marks"].tolist()
            cut = [ids[end - length : end] for end, length in zip(np.cumsum(lengths), lengths, strict=True)]
            return [Row(*row) for row in zip(cut, labels, heads, *(map(bool, marks) for marks in others), strict=True)]
    except (OSError, ValueError, KeyError) as error:
        raise TrainingError(
            f"{file}: no array file ({error}); make one with 'python -m training reader data'"
        ) from error


def batches(rows: Sequence[Row], budget: int, rng: Random) -> list[list[Row]]:
    """Return rows in random batches of one kind and similar lengths, with at most ``budget`` tokens with padding."""
    order = list(rows)
    rng.shuffle(order)
    found: list[list[Row]] = []
    for start in range(0, len(order), WINDOW):
        inside: list[list[Row]] = []
        for row in sorted(order[start : start + WINDOW], key=lambda row: (_kind(row), len(row.ids))):
            if inside and _kind(inside[-1][0]) == _kind(row) and len(row.ids) * (len(inside[-1]) + 1) <= budget:
                inside[-1].append(row)
            else:
                inside.append([row])
        rng.shuffle(inside)
        found += inside
    return found


def _kind(row: Row) -> tuple[int, bool]:
    return row.head, row.invented
