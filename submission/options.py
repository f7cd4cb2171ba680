"""The options of ``python -m submission``, apart from its work: help and typos do not wait for charts and scores."""

import argparse
from enum import StrEnum
from pathlib import Path

from submission.ev2r.replies import Mode

VALIDATE = """List every fault of a submission with its row and its effect on the official scorer: it crashes the whole
run, gives wrong scores without an error, or is harmless. The exit status is 1 if any fault is not harmless."""
SCORE = """Score predictions against gold: accuracy, macro-F1, precision, recall and F1 by label, the confusion table,
and the constant answer "Refuted" for comparison; with --metrics also their evidence. Predictions and gold are paired by
claim id and text; unpaired ones are named and not scored. The first line says what the official scorer would do with
the file."""

REPORT = """Write the report of a run as one HTML file that works offline, with figures as SVG and timings in the
organizers' text format. Or report on any system's predictions (--predictions), or compare two runs (--compare)."""
CALIBRATE = """Fit a system's confidences to claims with known labels. Writes the fit, which a run applies with
--calibration, and a reliability diagram next to it; prints the expected calibration error before and after (the latter
out of fold)."""
CLAIM_ONLY = """Fit a logistic regression on the text and metadata of annotated claims, without any evidence, and print
its scores on other claims: a baseline to put beside every accuracy on AVeriTeC."""
ROUNDS = """Rounds against correctness, and tokens a claim, from the output folder of a run (DebateCV, figure 2 and
table 7)."""
BELIEFS = """How judges' beliefs moved and how speakers persuaded, from the graphs of runs (AI Debate, Rahman et al.,
2025)."""


class Metric(StrEnum):
    """Metrics to compute; label scores always are."""

    LABELS = "labels"
    LEGACY = "legacy"
    EV2R = "ev2r"
    EV2R_LEXICAL = "ev2r-lexical"


def parser(prog: str = "python -m submission") -> argparse.ArgumentParser:
    """The options; ``command`` is the name of the command."""
    made = argparse.ArgumentParser(prog=prog, description="Check, score and report on submissions.")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("validate", help="list every fault of a submission", description=VALIDATE)
    check.add_argument("file", type=Path, metavar="FILE", help="submission.csv, or predictions in JSON (.json)")
    check.add_argument(
        "--claims",
        type=Path,
        metavar="FILE",
        help="all claims of the split (AVeriTeC JSON or gold CSV), to detect missing and misplaced rows",
    )
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
    _add_report(commands)
    _add_calibrate_command(commands)
    _add_claim_only_command(commands)
    _add_rounds_command(commands)
    _add_beliefs_command(commands)
    return made


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


def _add_calibrate_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("calibrate", help="fit confidences on a labeled split", description=CALIBRATE)
    parser.add_argument("--predictions", type=Path, required=True, metavar="FILE", help="submission.json of a run")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="the same claims with their labels")
    parser.add_argument(
        "--output", type=Path, default=Path("calibration.json"), metavar="FILE", help="default: calibration.json"
    )


def _add_claim_only_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("claim-only", help="score the claim alone, without evidence", description=CLAIM_ONLY)
    parser.add_argument("train", type=Path, metavar="TRAIN", help="annotated claims to learn from, such as train.json")
    parser.add_argument("gold", type=Path, metavar="GOLD", help="annotated claims to score, such as dev.json")


def _add_rounds_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "rounds",
        help="tell by the number of rounds how many claims are right, and what a claim costs",
        description=ROUNDS,
    )
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="the output folder of a run")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="claims with labels")


def _add_beliefs_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "beliefs",
        help="tell how the judges' beliefs moved, and how speakers persuaded who were right or wrong",
        description=BELIEFS,
    )
    parser.add_argument("outputs", type=Path, nargs="+", metavar="OUTPUT_DIR", help="the output folders of runs")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="claims with labels")
