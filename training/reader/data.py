"""``data``: put all pairs of an epoch, and the held-out ones, into one array file."""

from pathlib import Path

from transformers import AutoTokenizer

from training.reader.arrays import LABEL, READING, Rows, encode, write_arrays
from training.reader.claims import labelled_claims
from training.reader.mixture import mixture
from training.reader.pairs import each_set


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
    parts = {"train": encode(tokenizer, train, READING), "held_out": encode(tokenizer, apart[: 4 * rows], READING)}
    if claims:
        labelled, labelled_apart = labelled_claims(claims, seed)
        parts["train"] = Rows.joined([parts["train"], encode(tokenizer, labelled, LABEL)])
        parts["averitec"] = encode(tokenizer, labelled_apart[: 4 * rows], LABEL)
    if (sets / "eval").is_dir():
        parts |= {name: encode(tokenizer, pairs[:rows], READING) for name, pairs in each_set(sets / "eval")}
    write_arrays(output, parts)
    tokens, size = int(parts["train"].lengths.sum()), output.stat().st_size / 2**20
    print(f"{output}: {len(parts['train']):,} rows, {tokens:,} tokens, {size:.1f} MiB")
