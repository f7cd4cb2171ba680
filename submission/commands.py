"""The commands of ``python -m submission``."""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from submission.calibration import calibrate_command
from submission.claim_only import claim_only_command
from submission.ev2r.replies import Mode
from submission.files import SubmissionError
from submission.options import Metric, parser
from submission.read import claim_texts
from submission.report import write_report
from submission.runs import gold_of, predictions_of, print_runs, score_runs
from submission.score import Judging, score
from submission.tables import print_report
from submission.validate import changes_score, print_faults, validate
from system.files.journal import JournalError
from system.files.texts import FileError, write_text


def main(argv: Sequence[str] | None = None, prog: str = "python -m submission") -> int:
    """Run a command.

    Returns:
        0, 1 for a submission with faults, 2 for input that cannot be used, 3 for a metric that was left out, 130 after
        Ctrl-C.
    """
    arguments = parser(prog).parse_args(argv)
    try:
        return COMMANDS[arguments.command](arguments, Console())
    except (FileError, JournalError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted; the replies so far are kept: run the same command to resume")
        return 130


def _validate(arguments: argparse.Namespace, console: Console) -> int:
    claims = claim_texts(arguments.claims) if arguments.claims else None
    faults = validate(arguments.file, claims)
    print_faults(arguments.file, faults, console)
    return int(changes_score(faults))


def _score(arguments: argparse.Namespace, console: Console) -> int:
    runs = [*arguments.runs, *([arguments.predictions] if arguments.predictions else [])]
    if not runs:
        raise SubmissionError("nothing to score; name output folders of runs, or a file with --predictions")
    gold = arguments.gold or gold_of(runs[0])
    metrics, two_labels = {Metric(name) for name in arguments.metrics}, arguments.two_labels
    judging = None
    if arguments.judge:
        journal = arguments.judgements or predictions_of(runs[0]).parent / "judgements.jsonl"
        judging = Judging(arguments.judge, journal, Mode(arguments.mode), arguments.official_prompts)
    if len(runs) > 1:
        compared = score_runs(runs, gold, metrics, judging, two_labels=two_labels)
        print_runs(compared, console)
        text, left_out = compared.model_dump_json(indent=2), False
    else:
        report = score(predictions_of(runs[0]), gold, metrics, judging, two_labels=two_labels)
        print_report(report, console)
        text, left_out = report.model_dump_json(indent=2), bool(report.left_out)
    if arguments.json:
        write_text(arguments.json, text + "\n")
    return 3 if left_out else 0


def _report(arguments: argparse.Namespace, console: Console) -> int:
    path = write_report(arguments.output, arguments.gold, arguments.predictions)
    console.print(Text(str(path)), soft_wrap=True)
    return 0


COMMANDS = {
    "validate": _validate,
    "score": _score,
    "report": _report,
    "calibrate": calibrate_command,
    "claim-only": claim_only_command,
}
