"""Command line: ``python -m training data|train|quantize|dequantize|check``."""

import argparse
import sys
from collections.abc import Sequence

COMMANDS = {
    "data": "make the data sets of the adapters",
    "train": "fine-tune a LoRA adapter",
    "reader": "train the reader, which judges without a language model",
    "quantize": "quantize a base model to 4 bits (AWQ)",
    "dequantize": "make a trainable base from a 4-bit checkpoint",
    "check": "check an adapter in the engine",
    "prompts": "compare the data sets' prompts with those of a run",
    "push": "push an adapter to the model hub",
    "judge-gold": "judge claims by their gold questions and answers",
    "held-out-claims": "write the claims that training holds out, with stores",
    "tiny-model": "make a tiny random model with adapters, to try the tools on",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] not in COMMANDS:
        _overview().parse_args(arguments)  # ends with the help, or with what is wrong
    from training.commands import main as run  # only now: models' libraries need seconds to be imported

    return run(arguments)


def _overview() -> argparse.ArgumentParser:
    description = "Make data sets, train, quantize and check adapters, train the reader."
    parser = argparse.ArgumentParser(prog="python -m training", description=description)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        commands.add_parser(name, help=purpose)
    return parser


if __name__ == "__main__":
    sys.exit(main())
