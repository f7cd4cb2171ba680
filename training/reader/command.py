"""``python -m training reader data|train|evaluate|thresholds|export``.

``python -m training.reader.command train`` does the same without the libraries of the other training commands.
"""

import argparse
from dataclasses import fields
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from training import reader
from training.reader.recipe import Recipe


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "reader", help="train the reader, which judges passages without a language model",
        description=reader.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_actions(parser)


def add_actions(parser: argparse.ArgumentParser) -> None:
    """Add the parsers of the actions."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    data = actions.add_parser("data", help="write the array file of one epoch")
    data.add_argument("--sets", type=Path, required=True, help="folder of entailment sets in JSON Lines")
    data.add_argument("--claims", type=Path, help="AVeriTeC's train split (default: without the label head's rows)")
    data.add_argument("--base", required=True, help="encoder whose tokenizer is used")
    data.add_argument("--output", type=Path, required=True, help="the array file")
    data.add_argument("--times", type=float, default=1, help="how many times as many rows of each set")
    data.add_argument("--seed", type=int, default=0, help="of sampling, windows and edits")
    data.set_defaults(run=_run, function="data.write_data")
    train = actions.add_parser("train", help="train; the same command again resumes")
    train.add_argument("--data", type=Path, nargs="+", required=True, help="array files")
    train.add_argument("--base", required=True, help="encoder or saved reader to start from")
    train.add_argument("--teacher", help="trained reader whose probabilities are learned beside the labels")
    train.add_argument("--output", type=Path, default=Path("models/reader"), help="(default: %(default)s)")
    for field in fields(Recipe):
        train.add_argument(f"--{field.name}", type=type(field.default), default=field.default, **field.metadata)
    train.set_defaults(run=_run, function="train.train")
    export = actions.add_parser("export", help="write a trained reader for the engine, with weights of 8 bits")
    export.add_argument("--reader", type=Path, required=True, help="folder of the training")
    export.add_argument("--output", type=Path, required=True, help="folder to write, such as system/reader/mpnet")
    export.set_defaults(run=_run, function="export.export")
    fit = actions.add_parser("thresholds", help="fit temperatures and thresholds of an exported reader")
    fit.add_argument("--reader", type=Path, required=True, help="folder that export wrote")
    fit.add_argument("--sets", type=Path, required=True, help="folder of entailment sets")
    fit.add_argument("--claims", type=Path, required=True, help="AVeriTeC's train split")
    fit.add_argument("--pages", type=int, default=900, help="held-out pages (default: %(default)s)")
    fit.set_defaults(run=_run, function="thresholds.fit")
    figures = actions.add_parser("evaluate", help="accuracy, balanced accuracy and macro-F1 beside published values")
    figures.add_argument(
        "--reader", default="mpnet", help="mpnet, an exported folder, or a hub name (default: %(default)s)"
    )
    figures.add_argument("--sets", type=Path, nargs="+", required=True, help="files, or folders of files")
    figures.add_argument("--rows", type=int, default=0, help="of each file; 0 for all (default)")
    figures.set_defaults(run=_run, function="evaluate.evaluate")


def _run(options: argparse.Namespace) -> None:
    """Call the action's function with those options that it takes, and print what it returns."""
    module, name = options.function.split(".")
    function = getattr(import_module(f"training.reader.{module}"), name)
    given = vars(options)
    if options.function == "train.train":
        given["recipe"] = Recipe(**{field.name: given[field.name] for field in fields(Recipe)})
    print(function(**{name: given[name] for name in signature(function).parameters}))


if __name__ == "__main__":
    alone = argparse.ArgumentParser(prog="python -m training.reader.command")
    add_actions(alone)
    chosen = alone.parse_args()
    chosen.run(chosen)
