"""The commands of ``python -m submission``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from submission.beliefs import add_beliefs_command
from submission.calibration import add_calibrate_command
from submission.claim_only import add_claim_only_command
from submission.ev2r.replies import Mode
from submission.files import SubmissionError, write_text
from submission.read import claim_texts
from submission.report.page import write_report
from submission.report.run_comparison import compare, print_comparison
from submission.rounds import add_rounds_command
from submission.score import Judging, Metric, score
from submission.tables import print_report
from submission.validate import changes_score, print_faults, validate
from system.files.journal import JournalError

VALIDATE = """List every fault of a submission with its row and its effect on the official scorer: it crashes the whole
run, gives wrong scores without an error, or is harmless. The exit status is 1 if any fault is not harmless."""
SCORE = """Score predictions against gold: accuracy, macro-F1, precision, recall and F1 by label, the confusion table,
and the constant answer "Refuted" for comparison; with --metrics also their evidence. Predictions and gold are paired by
claim id and text; unpaired ones are named and not scored. The first line says what the official scorer would do with
the file."""

REPORT = """Write the report of a run as one HTML file that works offline, with figures as SVG and timings in the
organizers' text format. Or report on any system's predictions (--predictions), or compare two runs (--compare)."""


def main(argv: Sequence[str] | None = None, prog: str = "python -m submission") -> int:
    """Run a command.

    Returns:
        0, 1 for a submission with faults, 2 for input that cannot be used, 3 for a metric that was left out, 130 after
        Ctrl-C.
    """
    arguments = _parser(prog).parse_args(argv)
    try:
        status: int = arguments.command(arguments, Console())
    except (SubmissionError, JournalError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted; the replies so far are kept: run the same command to resume")
        return 130
    return status


def _parser(prog: str = "python -m submission") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, description="Check, score and report on submissions.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("validate", help="list every fault of a submission", description=VALIDATE)
    check.add_argument("file", type=Path, metavar="FILE", help="submission.csv, or predictions in JSON (.json)")
    check.add_argument(
        "--claims",
        type=Path,
        metavar="FILE",
        help="all claims of the split (AVeriTeC JSON or gold CSV), to detect missing and misplaced rows",
    )
    check.set_defaults(command=_validate)
    grade = commands.add_parser("score", help="score predictions against gold", description=SCORE)
    grade.add_argument(
        "--predictions",
        type=Path,
        required=True,
        metavar="FILE",
        help="submission.json, submission.csv, or the organizers' JSON",
    )
    grade.add_argument(
        "--gold",
        type=Path,
        required=True,
        metavar="FILE",
        help="claims with labels and questions: AVeriTeC JSON or the organizers' gold CSV",
    )
    grade.add_argument(
        "--metrics",
        nargs="+",
        default=[],
        choices=[*map(str, Metric)],
        metavar="METRIC",
        help=f"any of {', '.join(Metric)}; labels are always scored; legacy is Hungarian METEOR (AVeriTeC 2024), "
        "ev2r needs a judge (FEVER-8), ev2r-lexical compares words and is not an Ev2R score",
    )
    grade.add_argument(
        "--two-labels",
        action=argparse.BooleanOptionalAction,
        help="score with two labels: on both sides, what is not Supported is Refuted (default: as the predictions' "
        "run.json says, if there is one)",
    )
    _add_judging(grade)
    grade.add_argument("--json", type=Path, metavar="FILE", help="also write the scores to this file")
    grade.set_defaults(command=_score)
    _add_report(commands)
    add_calibrate_command(commands)
    add_claim_only_command(commands)
    add_rounds_command(commands)
    add_beliefs_command(commands)
    return parser


def _add_judging(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the judge of ev2r")
    group.add_argument(
        "--judge", metavar="JUDGE", help="vllm:MODEL, transformers:MODEL, server:MODEL@ADDRESS, or a profile"
    )
    group.add_argument(
        "--mode",
        choices=[*map(str, Mode)],
        default=str(Mode.STRICT),
        help="how to read replies: strict (default) recounts the facts, retries an unreadable reply once, and leaves "
        "out what could not be judged; compatible reads as the official scorer does and counts 0 for it",
    )
    group.add_argument(
        "--official-prompts",
        type=Path,
        metavar="FILE",
        help="the organizers' properties.py, for scores comparable to the leaderboard's (with --mode compatible)",
    )
    group.add_argument(
        "--judgements",
        type=Path,
        metavar="FILE",
        help="file that keeps replies, so nothing is asked twice (default: judgements.jsonl beside the predictions)",
    )


def _add_report(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("report", help="write the report of a run, or compare two runs", description=REPORT)
    parser.add_argument("output", type=Path, nargs="?", metavar="OUTPUT_DIR", help="the output folder of a run")
    parser.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="claims with labels, AVeriTeC JSON (default: the run's claims file, if it has labels)",
    )
    parser.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help="report on another system's predictions (JSON or CSV), without graphs and times, in OUTPUT_DIR",
    )
    parser.add_argument(
        "--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="output folders of two runs to compare"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="with --compare: write the comparison to this file")
    parser.set_defaults(command=_report)


def _judging(arguments: argparse.Namespace) -> Judging | None:
    if not arguments.judge:
        return None
    journal = arguments.judgements or arguments.predictions.parent / "judgements.jsonl"
    return Judging(arguments.judge, journal, Mode(arguments.mode), arguments.official_prompts)


def _validate(arguments: argparse.Namespace, console: Console) -> int:
    claims = claim_texts(arguments.claims) if arguments.claims else None
    faults = validate(arguments.file, claims)
    print_faults(arguments.file, faults, console)
    return int(changes_score(faults))


def _score(arguments: argparse.Namespace, console: Console) -> int:
    metrics = {Metric(name) for name in arguments.metrics}
    report = score(arguments.predictions, arguments.gold, metrics, _judging(arguments), two_labels=arguments.two_labels)
    print_report(report, console)
    if arguments.json:
        write_text(arguments.json, report.model_dump_json(indent=2) + "\n")
    return 3 if report.left_out else 0


def _report(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.compare:
        if arguments.output or arguments.predictions:
            raise SubmissionError("--compare takes two output folders and nothing else but --gold and --json")
        before, after = arguments.compare
        comparison = compare(before, after, arguments.gold)
        print_comparison(comparison, console)
        if arguments.json:
            write_text(arguments.json, comparison.model_dump_json(indent=2) + "\n")
    elif arguments.output:
        path = write_report(arguments.output, arguments.gold, arguments.predictions)
        console.print(Text(str(path)), soft_wrap=True)
    else:
        raise SubmissionError("name an output folder, or two with --compare")
    return 0
