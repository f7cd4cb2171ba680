"""``data``: put all pairs of an epoch into one array file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.reader.arrays import LABEL, LONGEST, READING, Row, write_rows
from training.reader.claims import labelled_claims
from training.reader.mixture import mixture
from training.reader.pairs import Pair


def write_data(
    *, sets: Path, claims: Path | None = None, base: str, output: Path, times: float = 1, seed: int = 0
) -> str:
    """Write the array file; return its size in words.

    Args:
        sets: folder of entailment sets in JSON Lines.
        claims: AVeriTeC's train split (default: without the label head's rows).
        base: encoder whose tokenizer is used.
        output: the array file.
        times: how many times as many rows of each set.
        seed: of sampling, windows and edits.

    Raises:
        TrainingError: a set cannot be read.
        ClaimsError: the claims cannot be read.
    """
    from transformers import AutoTokenizer  # large

    tokenizer = AutoTokenizer.from_pretrained(base)
    train, _ = mixture(sets, seed, times)
    rows = encode(tokenizer, train, READING)
    if claims:
        labelled, _ = labelled_claims(claims, seed, sets)
        rows += encode(tokenizer, labelled, LABEL)
    write_rows(output, rows)
    tokens, size = sum(len(row.ids) for row in rows), output.stat().st_size / 2**20
    return f"{output}: {len(rows):,} rows, {tokens:,} tokens, {size:.1f} MiB"


def encode(tokenizer: Any, pairs: Sequence[Pair], head: int) -> list[Row]:
    """Encode pairs for one head; evidence is cut to fit, a statement is not.

    Pairs whose statement alone fills the length are left out.
    """
    rows: list[Row] = []
    for start in range(0, len(pairs), 4096):
        part = pairs[start : start + 4096]
        alone = tokenizer([pair.statement for pair in part])["input_ids"]
        part = [pair for pair, tokens in zip(part, alone, strict=True) if len(tokens) <= LONGEST - 16]
        texts = [pair.evidence for pair in part], [pair.statement for pair in part]
        encoded = tokenizer(*texts, truncation="only_first", max_length=LONGEST)["input_ids"]
        rows += [
            Row(np.array(ids, np.uint16), pair.label, head, pair.two_way, pair.source == "invented")
            for ids, pair in zip(encoded, part, strict=True)
        ]
    return rows
