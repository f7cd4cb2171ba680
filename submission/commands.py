"""The commands of ``python -m submission``."""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from submission.beliefs import beliefs_command
from submission.calibration import calibrate_command
from submission.claim_only import claim_only_command
from submission.ev2r.replies import Mode
from submission.files import SubmissionError, write_text
from submission.options import Metric, parser
from submission.read import claim_texts
from submission.report.page import write_report
from submission.report.run_comparison import compare, print_comparison
from submission.rounds import rounds_command
from submission.score import Judging, score
from submission.tables import print_report
from submission.validate import changes_score, print_faults, validate
from system.files.journal import JournalError


def main(argv: Sequence[str] | None = None, prog: str = "python -m submission") -> int:
    """Run a command.

    Returns:
        0, 1 for a submission with faults, 2 for input that cannot be used, 3 for a metric that was left out, 130 after
        Ctrl-C.
    """
    arguments = parser(prog).parse_args(argv)
    try:
        status = COMMANDS[arguments.command](arguments, Console())
    except (SubmissionError, JournalError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted; the replies so far are kept: run the same command to resume")
        return 130
    return status


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


COMMANDS = {
    "validate": _validate,
    "score": _score,
    "report": _report,
    "calibrate": calibrate_command,
    "claim-only": claim_only_command,
    "rounds": rounds_command,
    "beliefs": beliefs_command,
}
