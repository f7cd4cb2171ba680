"""Command line: ``python -m submission validate|score|report|calibrate|claim-only|rounds|beliefs``."""

import argparse
import sys
from collections.abc import Sequence

COMMANDS = {
    "validate": "list every fault of a submission",
    "score": "score predictions against gold",
    "report": "write the report of a run, or compare two runs",
    "calibrate": "fit confidences on a labeled split",
    "claim-only": "score the claim alone, without evidence",
    "rounds": "tell by the number of rounds how many claims are right, and what a claim costs",
    "beliefs": "tell how the judges' beliefs moved, and how speakers persuaded who were right or wrong",
}


def main(argv: Sequence[str] | None = None, prog: str = "python -m submission") -> int:
    """Run a command; returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] not in COMMANDS:
        _overview(prog).parse_args(arguments)  # ends with the help, or with what is wrong
    from submission.commands import main as run  # only now: charts and scores need seconds to be imported

    return run(arguments, prog)


def _overview(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, description="Check, score and report on submissions.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        commands.add_parser(name, help=purpose)
    return parser


if __name__ == "__main__":
    sys.exit(main())
