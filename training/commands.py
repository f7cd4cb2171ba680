"""The commands of ``python -m training``. Each command is a module that adds its own parser."""

import argparse
import sys
from collections.abc import Sequence

from knowledge_store.dense.encoder import EncoderUnavailable
from system.averitec.claims import ClaimsError
from system.files.journal import JournalError
from system.models.base import ModelUnavailable
from system.settings import SettingsError
from training import TrainingError, check, quantization
from training.datasets import command as datasets
from training.finetuning import command as finetuning
from training.reader import command as reader

COMMANDS = (datasets, finetuning, reader, quantization, check)
EXPECTED = (ClaimsError, EncoderUnavailable, JournalError, ModelUnavailable, SettingsError, TrainingError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a training command; returns the exit status: 0, or 2 with the reason on standard error.

    Every command resumes: what is finished stays, and the same command goes on from there.
    """
    parser = _parser()
    options, settings = parser.parse_known_args(arguments)
    if settings and "settings" not in options:
        parser.error(f"unrecognized arguments: {' '.join(settings)}")
    options.settings = settings
    try:
        options.run(options)
    except EXPECTED as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error}; fix it and run the same command again: what is finished is kept", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; run the same command to resume", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    description = "Make data sets, train, quantize and check adapters, train the reader."
    parser = argparse.ArgumentParser(prog="python -m training", description=description)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add_command(commands)
    return parser
