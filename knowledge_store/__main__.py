"""Command line: ``python -m knowledge_store build|index|search``."""

import argparse
import sys
from collections.abc import Sequence

COMMANDS = {
    "build": "build a store from a folder of documents",
    "index": "index documents or stores as an archive, or add to one",
    "search": "show the passages of a store or archive that answer a question",
}


def main(argv: Sequence[str] | None = None, prog: str = "python -m knowledge_store") -> int:
    """Run a command; returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] not in COMMANDS:
        _overview(prog).parse_args(arguments)  # ends with the help, or with what is wrong
    from knowledge_store.commands import main as run  # only now: the rankers need seconds to be imported

    return run(arguments, prog)


def _overview(prog: str) -> argparse.ArgumentParser:
    description = "Build a knowledge store from your documents, index an archive of any size, or search a store."
    parser = argparse.ArgumentParser(prog=prog, description=description)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        commands.add_parser(name, help=purpose)
    return parser


if __name__ == "__main__":
    sys.exit(main())
