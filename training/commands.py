"""The commands of ``python -m training``. Each command is a module that adds its own parser.

Only the module of the command that is given is imported, because their libraries take seconds.
"""

import argparse
import sys
from collections.abc import Collection, Sequence
from importlib import import_module

from system.app.errors import can_be_mended
from training import TrainingError

COMMANDS = {
    "data": ("training.datasets.command", "make the data sets of the adapters"),
    "train": ("training.finetuning.command", "fine-tune a LoRA adapter"),
    "reader": ("training.reader.command", "train the reader, which judges without a language model"),
    "quantize": ("training.quantization", "quantize a base model to 4 bits (AWQ)"),
    "dequantize": ("training.quantization", "make a trainable base from a 4-bit checkpoint"),
    "check": ("training.check", "check an adapter in the engine"),
}
"""Module and purpose of each command."""

DESCRIPTION = "Make data sets, train, quantize and check adapters, train the reader."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a training command; returns the exit status: 0, or 2 with the reason on standard error.

    Every command resumes: what is finished stays, and the same command goes on from there.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = parser_of(given[:1])
    options, settings = parser.parse_known_args(given)
    if settings and "settings" not in options:
        parser.error(f"unrecognized arguments: {' '.join(settings)}")
    options.settings = settings
    try:
        options.run(options)
    except KeyboardInterrupt:
        print("stopped; run the same command to resume", file=sys.stderr)
    except OSError as error:
        print(f"error: {error}; fix it and run the same command again: what is finished is kept", file=sys.stderr)
    except Exception as error:
        if not (isinstance(error, TrainingError) or can_be_mended(error)):
            raise
        print(f"error: {error}", file=sys.stderr)
    else:
        return 0
    return 2


def parser_of(names: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return a parser that knows all commands, and the options of those that are named."""
    parser = argparse.ArgumentParser(prog="python -m training", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    wanted = dict.fromkeys(module for name, (module, _) in COMMANDS.items() if name in names)
    for module in wanted:
        import_module(module).add_command(commands)
    for name, (module, purpose) in COMMANDS.items():
        if module not in wanted:
            commands.add_parser(name, help=purpose)
    return parser
