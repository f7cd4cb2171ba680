"""The commands of ``python -m training``: each is a module that adds its own parser."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from system.averitec.claims import ClaimsError
from system.models.base import ModelUnavailable
from training import TrainingError, check, held_out_claims, hub, judge_gold, prompts, quantization
from training.datasets import command as datasets
from training.finetuning import command as finetuning
from training.reader import command as reader

COMMANDS = (datasets, finetuning, reader, quantization, check, prompts, hub, judge_gold, held_out_claims)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a training command; returns the exit status: 0, or 2 with the reason on standard error."""
    parser = _parser()
    options, settings = parser.parse_known_args(arguments)
    if settings and "settings" not in options:
        parser.error(f"unrecognized arguments: {' '.join(settings)}")
    options.settings = settings
    try:
        options.run(options)
    except (ClaimsError, ModelUnavailable, TrainingError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    description = "Make data sets, train, quantize and check adapters, train the reader."
    parser = argparse.ArgumentParser(prog="python -m training", description=description)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add_command(commands)
    tiny = commands.add_parser("tiny-model", help="make a tiny random model with adapters, to try the tools on")
    tiny.add_argument("--output", type=Path, required=True, help="folder to write: base/, awq/ and three adapters")
    tiny.set_defaults(run=_make_tiny_model)
    return parser


def _make_tiny_model(options: argparse.Namespace) -> None:
    from training.tiny_model import make  # PEFT takes seconds to import

    make(options.output)
