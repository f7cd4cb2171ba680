"""Rounds against correctness, and tokens a claim, from the output folder of a run (DebateCV, figure 2 and table 7)."""

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from submission.files import SubmissionError
from submission.score import comparable_pairs
from submission.timings import TimeReport
from system.graph.records import Record, explain


class RoundScore(Record):
    """The claims that took so many rounds; 0 rounds stands for all claims.

    Attributes:
        accuracy: share of them whose label is right.
        tokens_in, tokens_out, calls: means a claim.
    """

    rounds: int
    claims: int
    accuracy: float
    tokens_in: float
    tokens_out: float
    calls: float


def by_rounds(output: Path, gold: Path) -> list[RoundScore]:
    """Score a run by the rounds that its claims took, fewest first, and all of them last.

    Raises:
        SubmissionError: a file is missing or cannot be read, or predictions and gold share no claim.
    """
    pairs = comparable_pairs(output / "submission.json", gold)
    right = {one.gold.claim_id: one.predicted.label == one.gold.label for one in pairs}
    path = output / "timings.json"
    try:
        timed = TimeReport.model_validate_json(path.read_bytes()).claims
    except OSError as error:
        raise SubmissionError(f"{path}: expected the time report of a run ({error.strerror})") from error
    except ValidationError as error:
        fault = explain(error.errors()[0], "the file")
        raise SubmissionError(f"{path}: expected the time report of a run ({fault})") from error
    rows = {one.claim_id: one for one in timed if one.claim_id in right}

    def score(rounds: int, ids: Iterable[int]) -> RoundScore:
        mine = [rows[number] for number in ids]
        return RoundScore(
            rounds=rounds,
            claims=len(mine),
            accuracy=float(np.mean([right[one.claim_id] for one in mine])),
            tokens_in=float(np.mean([one.tokens_in for one in mine])),
            tokens_out=float(np.mean([one.tokens_out for one in mine])),
            calls=float(np.mean([one.calls for one in mine])),
        )

    if not rows:
        raise SubmissionError(f"{path}: expected the times of claims that {gold} has, got none")
    numbers = sorted({one.rounds for one in rows.values()})
    each = [score(number, (i for i, one in rows.items() if one.rounds == number)) for number in numbers]
    return [*each, score(0, rows)]


def rounds_command(arguments: argparse.Namespace, console: Console) -> int:
    """Print a row for each number of rounds."""
    table = Table("rounds", title=str(arguments.output), title_justify="left")
    for heading in ("claims", "accuracy", "tokens in", "out", "calls"):
        table.add_column(heading, justify="right")
    for row in by_rounds(arguments.output, arguments.gold):
        means = (f"{value:.0f}" for value in (row.tokens_in, row.tokens_out))
        table.add_row(str(row.rounds or "all"), str(row.claims), f"{row.accuracy:.3f}", *means, f"{row.calls:.1f}")
    console.print(table)
    return 0
