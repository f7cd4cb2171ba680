"""The command ``python -m submission report``."""

import argparse
from pathlib import Path

from rich.console import Console
from rich.text import Text

from submission.files import SubmissionError, write_atomically
from submission.report.comparison import compare
from submission.report.comparison_tables import print_comparison
from submission.report.write import write_report

REPORT = """Write the report of a run as one HTML file that needs no network, with its figures as SVG and the timings in
the organisers' text form; or of any system's predictions (--predictions), or compare two runs (--compare)."""


def add_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Give the command line of ``submission`` the command ``report``."""
    parser = commands.add_parser("report", help="write the report of a run, or compare two runs", description=REPORT)
    parser.add_argument("output", type=Path, nargs="?", metavar="OUTPUT_DIR", help="the output folder of a run")
    parser.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="claims with labels, in the AVeriTeC JSON form (default: the run's claims file, if it has labels)",
    )
    parser.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help="predictions of another system, in JSON or CSV: report on these, without graphs and times, in OUTPUT_DIR",
    )
    parser.add_argument(
        "--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="output folders of two runs to compare"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="with --compare: write the comparison to this file")
    parser.set_defaults(command=run_command)


def run_command(arguments: argparse.Namespace, console: Console) -> int:
    """Write or compare, as the arguments say.

    Raises:
        SubmissionError: a file cannot be read, or the arguments do not go together.
    """
    if arguments.compare:
        if arguments.output or arguments.predictions:
            raise SubmissionError("--compare takes two output folders and nothing else but --gold and --json")
        before, after = arguments.compare
        comparison = compare(before, after, arguments.gold)
        print_comparison(comparison, console)
        if arguments.json:
            write_atomically(arguments.json, comparison.model_dump_json(indent=2) + "\n")
    elif arguments.output:
        path = write_report(arguments.output, arguments.gold, arguments.predictions)
        console.print(Text(str(path)), soft_wrap=True)
    else:
        raise SubmissionError("name an output folder, or two with --compare")
    return 0
