"""Command line: ``python -m submission validate|score|report``."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from submission.files import SubmissionError, write_atomically
from submission.reading import read_claims
from submission.report.command import add_command as add_report_command
from submission.score import Metric, score
from submission.score_tables import print_report
from submission.validate import changes_score, print_faults, validate

VALIDATE = """Name every fault of a submission, with its row and what the official scorer does about it: it crashes the
whole run, it scores wrongly without a word, or it is harmless. The exit status is 1 if any fault is more than harmless.
"""
SCORE = """Score predictions against gold: accuracy, macro-F1, precision, recall and F1 by label, the confusion table,
and the constant answer "Refuted" to compare with; and, if asked, their evidence. Predictions are paired with gold by
claim id and text; what cannot be paired is named and not scored. What the official scorer does with the file is said
too."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; the exit status is 0, 1 for a submission with faults, 2 for input that cannot be used."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.command(arguments, Console())
    except SubmissionError as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m submission", description="Check, score and report on submissions.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("validate", help="name every fault of a submission", description=VALIDATE)
    check.add_argument("file", type=Path, metavar="FILE", help="submission.csv, or predictions in JSON (*.json)")
    check.add_argument(
        "--claims",
        type=Path,
        metavar="FILE",
        help="all claims of the split, in the AVeriTeC JSON form or as a gold CSV, to see missing and misplaced rows",
    )
    check.set_defaults(command=_validate)
    grade = commands.add_parser("score", help="score predictions against gold", description=SCORE)
    grade.add_argument(
        "--predictions",
        type=Path,
        required=True,
        metavar="FILE",
        help="submission.json, submission.csv, or the organisers' JSON",
    )
    grade.add_argument(
        "--gold",
        type=Path,
        required=True,
        metavar="FILE",
        help="claims with labels and questions: in the AVeriTeC JSON form, or the organisers' gold CSV",
    )
    grade.add_argument(
        "--metrics",
        type=Metric,
        nargs="+",
        default=[],
        choices=list(Metric),
        metavar="METRIC",
        help=f"of {', '.join(Metric)}; labels are always scored; legacy is Hungarian METEOR (AVeriTeC 2024)",
    )
    grade.add_argument("--json", type=Path, metavar="FILE", help="write the scores to this file as well")
    grade.set_defaults(command=_score)
    add_report_command(commands)
    return parser


def _validate(arguments: argparse.Namespace, console: Console) -> int:
    claims = read_claims(arguments.claims) if arguments.claims else None
    faults = validate(arguments.file, claims)
    print_faults(arguments.file, faults, console)
    return int(changes_score(faults))


def _score(arguments: argparse.Namespace, console: Console) -> int:
    report = score(arguments.predictions, arguments.gold, set(arguments.metrics))
    print_report(report, console)
    if arguments.json:
        write_atomically(arguments.json, report.model_dump_json(indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
