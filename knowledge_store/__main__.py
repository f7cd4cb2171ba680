"""Command line: ``python -m knowledge_store build|index|search``."""

import sys
from collections.abc import Sequence

from knowledge_store.options import parser


def main(argv: Sequence[str] | None = None, prog: str = "python -m knowledge_store") -> int:
    """Run a command; returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser(prog).parse_args(arguments)  # ends with the help, or with what is wrong
    from knowledge_store.commands import main as run  # only now: the rankers need seconds to be imported

    return run(arguments, prog)


if __name__ == "__main__":
    sys.exit(main())
