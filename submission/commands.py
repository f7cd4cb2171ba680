"""The commands of ``python -m submission``. Each imports its work itself: charts and scores need seconds to import."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from submission.files import EXTRA, SubmissionError
from system.averitec.claims import ClaimsError
from system.files.journal import JournalError
from system.files.texts import FileError, write_text

VALIDATE = """List every fault of a submission with its row and its effect on the official scorer. The exit status is 1
if any fault is not harmless."""
SCORE = """Score the labels of predictions against gold, beside the constant answer "Refuted"; with --metrics also their
evidence. Predictions and gold are paired by claim id and text; unpaired ones are named and not scored. Several runs
make one table, with differences to the first run and their intervals by a paired bootstrap."""
REPORT = """Write the report of a run, or of any system's predictions, as one HTML file that works offline."""
CALIBRATE = """Fit confidences to claims with known labels; a run applies the fit with --calibration. Prints the
expected calibration error and the accuracy by confidence, before and after (out of fold)."""
CLAIM_ONLY = """Fit a logistic regression on the text and metadata of annotated claims, without any evidence, and print
its scores on other claims: a baseline to put beside every accuracy on AVeriTeC."""

WIDE = 160  # columns that tables may take at least: in a narrow terminal or a file they would lose digits
METRICS = ("labels", "legacy", "ev2r")
ABOUT_METRICS = f"""any of {", ".join(METRICS)}; labels are always scored; legacy is Hungarian METEOR (AVeriTeC 2024),
ev2r needs a judge and the organizers' prompts (FEVER-8)"""
TWO_LABELS = """score with two labels: on both sides, what is not Supported is Refuted (default: as the predictions'
run.json says, if there is one)"""
OFFICIAL_PROMPTS = """the organizers' properties.py; 'scripts/official_score.sh --fetch' downloads it"""
JUDGEMENTS = """file that keeps replies, so nothing is asked twice (default: judgements.jsonl beside the predictions)"""


def main(argv: Sequence[str] | None = None, prog: str = "python -m submission") -> int:
    """Run a command; returns the exit status.

    0, 1 for a submission with faults, 2 for unusable input, 3 for a metric that was left out, 130 after Ctrl-C.
    """
    arguments = parser(prog).parse_args(argv)
    try:
        return int(arguments.run(arguments, Console(width=max(Console().width, WIDE))))
    except (ClaimsError, FileError, JournalError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        return 2
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("sklearn"):
            raise
        print(f"error: this command needs scikit-learn; {EXTRA}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted; the replies so far are kept: run the same command to resume")
        return 130


def parser(prog: str = "python -m submission") -> argparse.ArgumentParser:
    """Return the options; ``run`` is the command."""
    made = argparse.ArgumentParser(prog=prog, description="Check, score and report on submissions.")
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("validate", help="list every fault of a submission", description=VALIDATE)
    check.add_argument("file", type=Path, metavar="FILE", help="submission.csv, or predictions in JSON (.json)")
    _file(check, "--claims", "all claims of the split (JSON or gold CSV), to detect missing and misplaced rows")
    check.set_defaults(run=_validate)

    grade = commands.add_parser("score", help="score predictions against gold, or compare runs", description=SCORE)
    grade.add_argument("runs", type=Path, nargs="*", metavar="RUN", help="output folders, or files of predictions")
    _file(grade, "--predictions", "submission.json, submission.csv, or the organizers' JSON")
    _file(grade, "--gold", "claims with labels: AVeriTeC JSON or gold CSV (default: the claims of the first RUN)")
    grade.add_argument("--metrics", nargs="+", default=[], choices=METRICS, metavar="METRIC", help=ABOUT_METRICS)
    grade.add_argument("--two-labels", action=argparse.BooleanOptionalAction, help=TWO_LABELS)
    _file(grade, "--json", "also write the scores to this file")
    judging = grade.add_argument_group("the judge of ev2r")
    judging.add_argument("--judge", metavar="JUDGE", help="vllm:MODEL, server:MODEL@ADDRESS, or a profile")
    _file(judging, "--official-prompts", OFFICIAL_PROMPTS)
    _file(judging, "--judgements", JUDGEMENTS)
    grade.set_defaults(run=_score)

    report = commands.add_parser("report", help="write the report of a run", description=REPORT)
    report.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="the output folder of a run")
    _file(report, "--gold", "claims with labels, AVeriTeC JSON (default: the run's claims file, if it has labels)")
    _file(report, "--predictions", "another system's predictions (JSON or CSV), reported on in OUTPUT_DIR")
    report.set_defaults(run=_report)

    fit = commands.add_parser("calibrate", help="fit confidences on a labeled split", description=CALIBRATE)
    _file(fit, "--predictions", "submission.json of a run", required=True)
    _file(fit, "--gold", "the same claims with their labels", required=True)
    _file(fit, "--output", "default: calibration.json", default=Path("calibration.json"))
    fit.set_defaults(run=_calibrate)

    alone = commands.add_parser("claim-only", help="score the claim alone, without evidence", description=CLAIM_ONLY)
    alone.add_argument("train", type=Path, metavar="TRAIN", help="annotated claims to learn from, such as train.json")
    alone.add_argument("gold", type=Path, metavar="GOLD", help="annotated claims to score, such as dev.json")
    alone.set_defaults(run=_claim_only)
    return made


def _file(
    parser: "argparse._ActionsContainer", name: str, words: str, *, required: bool = False, default: Path | None = None
) -> None:
    parser.add_argument(name, type=Path, metavar="FILE", help=words, required=required, default=default)


def _validate(arguments: argparse.Namespace, console: Console) -> int:
    from submission.read import claim_texts
    from submission.validate import changes_score, print_faults, validate

    faults = validate(arguments.file, claim_texts(arguments.claims) if arguments.claims else None)
    print_faults(arguments.file, faults, console)
    return int(changes_score(faults))


def _score(arguments: argparse.Namespace, console: Console) -> int:
    from submission.runs import RunsReport, gold_of, predictions_of, print_runs, score_runs
    from submission.score import Metrics, ScoreReport, score, score_ev2r, score_legacy
    from submission.tables import print_report

    runs = [*arguments.runs, *([arguments.predictions] if arguments.predictions else [])]
    if not runs:
        raise SubmissionError("nothing to score; name output folders of runs, or a file with --predictions")
    judge, prompts = arguments.judge, arguments.official_prompts
    if "ev2r" in arguments.metrics and not (judge and prompts):
        raise SubmissionError(
            "ev2r needs a judge and the organizers' prompts; give --judge and --official-prompts, the properties.py "
            "that 'scripts/official_score.sh --fetch' downloads"
        )
    gold = arguments.gold or gold_of(runs[0])
    journal = arguments.judgements or predictions_of(runs[0]).parent / "judgements.jsonl"
    ev2r = partial(score_ev2r, judge=judge, prompts=prompts, journal=journal)
    known: Metrics = {"legacy": score_legacy, "ev2r": ev2r}
    metrics = {name: metric for name, metric in known.items() if name in arguments.metrics}
    report: RunsReport | ScoreReport
    if len(runs) > 1:
        report = score_runs(runs, gold, metrics, two_labels=arguments.two_labels)
        print_runs(report, console)
    else:
        report = score(predictions_of(runs[0]), gold, metrics, two_labels=arguments.two_labels)
        print_report(report, console)
    if arguments.json:
        write_text(arguments.json, report.model_dump_json(indent=2) + "\n")
    return 3 if isinstance(report, ScoreReport) and report.left_out else 0


def _report(arguments: argparse.Namespace, console: Console) -> int:
    from submission.report import write_report

    path = write_report(arguments.output, arguments.gold, arguments.predictions)
    console.print(Text(str(path)), soft_wrap=True)
    return 0


def _calibrate(arguments: argparse.Namespace, console: Console) -> int:
    from submission.calibration import calibrate, print_calibration
    from submission.read import read_pairing

    pairs = read_pairing(arguments.predictions, arguments.gold).pairs
    given = [one.predicted.confidence for one in pairs]
    confidences = [one for one in given if one is not None]
    if len(confidences) < len(given):
        raise SubmissionError(f"{arguments.predictions}: expected a confidence for every claim; give a submission.json")
    report = calibrate(confidences, [one.predicted.label == one.gold.label for one in pairs])
    write_text(arguments.output, report.calibration.model_dump_json(indent=2) + "\n")
    print_calibration(report, console)
    console.print(str(arguments.output), soft_wrap=True)
    return 0


def _claim_only(arguments: argparse.Namespace, console: Console) -> int:
    from submission.claim_only import claim_only

    for line in claim_only(arguments.train, arguments.gold):
        console.print(line, soft_wrap=True)
    return 0
