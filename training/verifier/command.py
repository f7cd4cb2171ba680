"""``python -m training verifier``: train the verifier, bundle it, measure it."""

import argparse
import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from training import TrainingError

OUTPUT = Path("models/verifier")
BUNDLE = Path("system/verifier/minilm")


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "verifier",
        help="train the verifier, which reads a passage and a statement",
        description="Train a cross-encoder on public entailment sets and contrast groups made from them. "
        "Run the same command again to resume a stopped training.",
    )
    parser.add_argument("--sets", type=Path, help="folder of public sets, JSON Lines with evidence, claim and label")
    parser.add_argument("--claims", type=Path, help="AVeriTeC's train split (default: train without its answers)")
    parser.add_argument(
        "--base",
        default="all-MiniLM-L6-v2",
        help="encoder, or the output or a checkpoint of an earlier stage (default: %(default)s)",
    )
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the training (default: %(default)s)")
    parser.add_argument(
        "--bundle", type=Path, metavar="FOLDER", help=f"write what --output holds for the engine, as {BUNDLE}"
    )
    parser.add_argument(
        "--average", type=int, default=1, metavar="N", help="checkpoints to average for --bundle (default: the last)"
    )
    parser.add_argument(
        "--decide", type=Path, metavar="FOLDER", help="fit a bundle's decision over pages on held-out pairs, and stop"
    )
    parser.add_argument("--measure", type=Path, metavar="FOLDER", help="time a bundle beside torch on --base, and stop")
    for name, help_text in _SETTINGS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", help=f"{help_text} (default: the recipe's)", type=_type(name)
        )
    parser.set_defaults(run=run)


_SETTINGS = {
    "epochs": "passes over the pairs",
    "learning_rate": "peak learning rate",
    "schedule": "of the learning rate: linear, constant_with_warmup",
    "saves": "checkpoints, each with figures on held-out pairs",
    "seed": "of the contrast groups and of the order",
}


_OF_EACH = 90  # held-out pairs of a source that each checkpoint is judged on


def _type(name: str) -> type:
    return {"epochs": float, "learning_rate": float, "schedule": str}.get(name, int)


def run(options: argparse.Namespace) -> None:
    """Train, then bundle where asked; or measure.

    Raises:
        TrainingError: no sets, or one that cannot be read; the output holds another training.
    """
    from knowledge_store.dense.loading import bundled_model

    base = str(bundled_model(options.base) or options.base)
    if options.measure:
        from training.verifier.measure import measure

        measure(options.measure, base)
        return
    if not options.sets:
        raise TrainingError(
            "--sets is missing: give the folder of the public sets, JSON Lines with evidence, claim, label"
        )
    os.nice(10)  # hours of work, which nobody waits for
    from training.verifier.mixture import mixture, sample
    from training.verifier.training import Recipe, train

    given = {f.name: value for f in fields(Recipe) if (value := getattr(options, f.name, None)) is not None}
    recipe = replace(Recipe(), **given)
    pairs, held_out = mixture(options.sets, options.claims, recipe.seed)
    if options.decide:
        from training.verifier.decision import decide

        decide(options.decide, held_out)
        return
    train(base, pairs, sample(held_out, _OF_EACH, seed=1), options.output, recipe)
    if options.bundle:
        from training.verifier.bundle import bundle

        bundle(options.output, options.bundle, held_out, options.average)
