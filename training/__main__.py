"""``python -m training COMMAND``: each command is a module that adds its own parser."""

import argparse
import sys
from collections.abc import Sequence

from system.claims import ClaimsError
from system.models.base import ModelUnavailable
from training import TrainingError, check, quantization
from training.datasets import command as datasets
from training.finetuning import command as finetuning

COMMANDS = (datasets, finetuning, quantization, check)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a training command; returns the exit status: 0, or 2 with the reason on standard error."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ClaimsError, ModelUnavailable, TrainingError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    description = "Make data sets, train, quantize and check adapters."
    parser = argparse.ArgumentParser(prog="python -m training", description=description)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add_command(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
