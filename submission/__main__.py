"""Command line: ``python -m submission validate|score|report|calibrate|claim-only``."""

import sys
from collections.abc import Sequence

from submission.options import parser


def main(argv: Sequence[str] | None = None, prog: str = "python -m submission") -> int:
    """Run a command; returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser(prog).parse_args(arguments)  # ends with the help, or with what is wrong
    from submission.commands import main as run  # only now: charts and scores need seconds to be imported

    return run(arguments, prog)


if __name__ == "__main__":
    sys.exit(main())
