"""``python -m training train``: fine-tune an adapter of the engine on a data set of ``python -m training data``."""

import argparse
from dataclasses import replace
from math import gcd
from pathlib import Path
from typing import Any

from training import TrainingError
from training.finetuning.recipes import RECIPES, Recipe

MODELS = Path("models")
BASE = MODELS / "base"
DATA = MODELS / "data"
SETTINGS = {
    "epochs": "passes over the examples",
    "learning_rate": "peak learning rate",
    "batch": "examples per update",
    "micro_batch": "examples per forward pass",
    "context": "maximum length of an example, in tokens",
    "patience": "evaluations without a better held-out loss before training stops",
}


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "train",
        help="fine-tune a LoRA adapter",
        description="Fine-tune a LoRA adapter on a data set. Run the same command again to resume a stopped training.",
    )
    parser.add_argument("--task", choices=RECIPES, required=True, help="adapter to train")
    parser.add_argument(
        "--base",
        default=str(BASE),
        help="base model, a folder or a name; 'dequantize' makes one (default: %(default)s)",
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data sets (default: %(default)s)")
    parser.add_argument(
        "--output", type=Path, help="folder of the adapter (default: models/ and the task it is served for)"
    )
    parser.add_argument(
        "--from-adapter",
        type=Path,
        help="adapter to continue from (default: a new one; for a second stage, the first stage's)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="random seed for the held-out claims, the order and the dropout (default: %(default)s)",
    )
    for name, help_text in SETTINGS.items():
        kind = type(getattr(RECIPES["qg"], name))
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, help=f"{help_text} (default: the recipe's)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Train an adapter."""
    from training.finetuning.training import Job, train  # imports large libraries

    recipe = _recipe(options)
    train(
        Job(
            task=options.task,
            recipe=recipe,
            base=options.base,
            data=options.data,
            output=options.output or MODELS / recipe.folder,
            start=_start(options.from_adapter, recipe),
            seed=options.seed,
        )
    )


def _recipe(options: argparse.Namespace) -> Recipe:
    """Return the task's recipe with the settings of the command line."""
    given = {name: value for name in SETTINGS if (value := getattr(options, name)) is not None}
    for name, value in given.items():
        if value <= 0:
            raise TrainingError(f"--{name.replace('_', '-')} {value}: expected a number above 0")
    recipe = replace(RECIPES[options.task], **given)
    return replace(recipe, micro_batch=gcd(recipe.batch, recipe.micro_batch))


def _start(given: Path | None, recipe: Recipe) -> Path | None:
    """Return the adapter to continue from; None for a new one."""
    start = given or (MODELS / recipe.start if recipe.start else None)
    if start and not (start / "adapter_config.json").exists():
        first = "" if given else f"train {recipe.start} first, or "
        raise TrainingError(f"{start}: no adapter to continue from; {first}give the folder of one with --from-adapter")
    return start
