"""``python -m training reader``: fit the verdict of the extractive reader."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from system.claims import ClaimsError
from training.annotated import AnnotationError
from training.reader import train


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a training command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        train(options.claims, options.output, options.encoder, options.seed)
    except (AnnotationError, ClaimsError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"wrote {options.output}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description="Training of what the system learns.")
    commands = parser.add_subparsers(required=True, metavar="command")
    reader = commands.add_parser("reader", help="fit the verdict of the extractive reader")
    reader.add_argument("--claims", type=Path, required=True, help="AVeriTeC's train.json, with its annotations")
    reader.add_argument("--output", type=Path, required=True, help="file for the fitted weights (JSON)")
    reader.add_argument("--encoder", default="all-MiniLM-L6-v2", help="bi-encoder (default: %(default)s)")
    reader.add_argument("--seed", type=int, default=1, help="of the choice of pages (default: %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
