"""The options of ``python -m submission``, apart from the work: help and typos need no import of charts and scores."""

import argparse
from enum import StrEnum
from pathlib import Path

from submission.ev2r.replies import Mode

VALIDATE = """List every fault of a submission with its row and its effect on the official scorer: it crashes the whole
run, gives wrong scores without an error, or is harmless. The exit status is 1 if any fault is not harmless."""
SCORE = """Score predictions against gold: accuracy, macro-F1, precision, recall and F1 by label, the confusion table,
and the constant answer "Refuted" for comparison; with --metrics also their evidence. Predictions and gold are paired by
claim id and text; unpaired ones are named and not scored. The first line says what the official scorer would do with
the file. Several runs make one table, with the differences to the first run and their intervals by a paired
bootstrap over the claims that all runs share."""
REPORT = """Write the report of a run as one HTML file that works offline, with figures as SVG and timings in the
organizers' text format, or report on any system's predictions (--predictions)."""
CALIBRATE = """Fit a system's confidences to claims with known labels. Writes the fit, which a run applies with
--calibration, and a reliability diagram next to it; prints the expected calibration error before and after (the latter
out of fold)."""
CLAIM_ONLY = """Fit a logistic regression on the text and metadata of annotated claims, without any evidence, and print
its scores on other claims: a baseline to put beside every accuracy on AVeriTeC."""


class Metric(StrEnum):
    """Metrics to compute; label scores always are."""

    LABELS = "labels"
    LEGACY = "legacy"
    EV2R = "ev2r"


METRICS = f"""any of {", ".join(Metric)}; labels are always scored; legacy is Hungarian METEOR (AVeriTeC 2024), ev2r
needs a judge (FEVER-8)"""
TWO_LABELS = """score with two labels: on both sides, what is not Supported is Refuted (default: as the predictions'
run.json says, if there is one)"""
MODE = """how to read replies: strict (default) recounts the facts, retries an unreadable reply once, and leaves out
what could not be judged; compatible reads as the official scorer does and counts 0 for it"""
OFFICIAL_PROMPTS = """the organizers' properties.py, for scores comparable to the leaderboard's (with --mode
compatible)"""
JUDGEMENTS = """file that keeps replies, so nothing is asked twice (default: judgements.jsonl beside the predictions)"""


def parser(prog: str = "python -m submission") -> argparse.ArgumentParser:
    """Return the options; ``command`` is the name of the command."""
    made = argparse.ArgumentParser(prog=prog, description="Check, score and report on submissions.")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")

    check = commands.add_parser("validate", help="list every fault of a submission", description=VALIDATE)
    check.add_argument("file", type=Path, metavar="FILE", help="submission.csv, or predictions in JSON (.json)")
    _file(check, "--claims", "all claims of the split (JSON or gold CSV), to detect missing and misplaced rows")

    grade = commands.add_parser("score", help="score predictions against gold, or compare runs", description=SCORE)
    grade.add_argument("runs", type=Path, nargs="*", metavar="RUN", help="output folders, or files of predictions")
    _file(grade, "--predictions", "submission.json, submission.csv, or the organizers' JSON")
    _file(grade, "--gold", "claims with labels: AVeriTeC JSON or gold CSV (default: the claims of the first RUN)")
    grade.add_argument("--metrics", nargs="+", default=[], choices=[*map(str, Metric)], metavar="METRIC", help=METRICS)
    grade.add_argument("--two-labels", action=argparse.BooleanOptionalAction, help=TWO_LABELS)
    _file(grade, "--json", "also write the scores to this file")
    judging = grade.add_argument_group("the judge of ev2r")
    judging.add_argument("--judge", metavar="JUDGE", help="vllm:MODEL, server:MODEL@ADDRESS, or a profile")
    judging.add_argument("--mode", choices=[*map(str, Mode)], default=str(Mode.STRICT), help=MODE)
    _file(judging, "--official-prompts", OFFICIAL_PROMPTS)
    _file(judging, "--judgements", JUDGEMENTS)

    report = commands.add_parser("report", help="write the report of a run", description=REPORT)
    report.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="the output folder of a run")
    _file(report, "--gold", "claims with labels, AVeriTeC JSON (default: the run's claims file, if it has labels)")
    _file(report, "--predictions", "another system's predictions (JSON or CSV), reported on in OUTPUT_DIR")

    fit = commands.add_parser("calibrate", help="fit confidences on a labeled split", description=CALIBRATE)
    _file(fit, "--predictions", "submission.json of a run", required=True)
    _file(fit, "--gold", "the same claims with their labels", required=True)
    _file(fit, "--output", "default: calibration.json", default=Path("calibration.json"))

    alone = commands.add_parser("claim-only", help="score the claim alone, without evidence", description=CLAIM_ONLY)
    alone.add_argument("train", type=Path, metavar="TRAIN", help="annotated claims to learn from, such as train.json")
    alone.add_argument("gold", type=Path, metavar="GOLD", help="annotated claims to score, such as dev.json")
    return made


def _file(
    parser: "argparse._ActionsContainer", name: str, words: str, *, required: bool = False, default: Path | None = None
) -> None:
    parser.add_argument(name, type=Path, metavar="FILE", help=words, required=required, default=default)
