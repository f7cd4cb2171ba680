"""``data``: put all pairs of an epoch, and the held-out ones, into one array file."""

from pathlib import Path

from transformers import AutoTokenizer

from training.reader.arrays import LABEL, READING, encode, write_arrays
from training.reader.claims import LabelledClaim, labelled_claims
from training.reader.mixture import mixture
from training.reader.pairs import Pair, each_set


def write_data(
    sets: Path, claims: Path | None, base: str, output: Path, rows: int, seed: int, times: float = 1
) -> None:
    """Write the array file.

    Args:
        sets: folder of entailment sets; its folder ``eval``, if there is one, is held out whole.
        claims: AVeriTeC's train split, or None.
        base: encoder whose tokenizer is used.
        rows: of each held-out part.
        times: as ``mixture`` takes it.

    Raises:
        TrainingError: a set cannot be read.
        ClaimsError: the claims cannot be read.
    """
    tokenizer = AutoTokenizer.from_pretrained(base)
    train, apart = mixture(sets, seed, times)
    labelled: list[LabelledClaim] = []
    labelled_apart: list[LabelledClaim] = []
    if claims:
        labelled, labelled_apart = labelled_claims(claims, seed)
    as_rows = [(one.evidence, one.claim, one.label, LABEL, False) for one in labelled]
    parts = {
        "train": encode(tokenizer, [*map(_row, train), *as_rows]),
        "held_out": encode(tokenizer, [*map(_row, apart)][: 4 * rows]),
    }
    if labelled_apart:
        parts["averitec"] = encode(
            tokenizer, [(one.evidence, one.claim, one.label, LABEL, False) for one in labelled_apart][: 4 * rows]
        )
    if (sets / "eval").is_dir():
        for name, pairs in each_set(sets / "eval"):
            parts[name] = encode(tokenizer, [*map(_row, pairs[:rows])])
    write_arrays(output, parts)
    tokens, size = int(parts["train"].lengths.sum()), output.stat().st_size / 2**20
    print(f"{output}: {len(parts['train']):,} rows, {tokens:,} tokens, {size:.1f} MiB")


def _row(pair: Pair) -> tuple[str, str, int, int, bool]:
    return pair.evidence, pair.statement, pair.label, READING, pair.two_way
