"""``train``: train the reader. Importing the command needs no torch."""

from pathlib import Path

from training import TrainingError
from training.reader.arrays import read_rows
from training.reader.recipe import USUAL, Recipe


def train(
    *,
    data: list[Path],
    base: str,
    teacher: str | None = None,
    output: Path = Path("models/reader"),
    recipe: Recipe = USUAL,
) -> str:
    """Train from ``base``, or resume what ``output`` holds; return where the model is.

    Args:
        data: array files.
        base: encoder or saved reader to start from.
        teacher: trained reader, such as one with more layers, whose probabilities are learned beside the labels.
        output: folder of the model, and of the state to resume from.

    Raises:
        TrainingError: an array file or the base cannot be read, ``teacher`` is no reader of the same encoder, or
            ``output`` holds a training with other layers.
    """
    from training.reader.network import Network
    from training.reader.trainer import Trainer

    rows = [row for file in data for row in read_rows(file)]
    network, taught = Network(base, recipe.layers), Network(teacher) if teacher else None
    if taught and not hasattr(taught.encoder.config, "reader_heads"):
        raise TrainingError(f"{teacher}: expected a trained reader, got an encoder; train it first")
    if taught and taught.tokenizer.get_vocab() != network.tokenizer.get_vocab():
        raise TrainingError(f"{teacher}: expected the tokenizer of {base}; train the teacher from the same encoder")
    trainer = Trainer(network, taught, output, recipe)
    size = f"{len(rows):,} rows, {sum(len(row.ids) for row in rows):,} tokens an epoch"
    kind = "bfloat16" if trainer.half else "float32"
    print(f"{size}; {trainer.device}, {kind}; from step {trainer.step:,}", flush=True)
    trainer.run(rows)
    return f"{output}: trained to step {trainer.step:,}"
