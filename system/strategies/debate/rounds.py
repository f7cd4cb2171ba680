"""Accuracy and cost of a run by the rounds that its claims took (DebateCV, figure 2 and table 7).

python -m system.strategies.debate.rounds OUTPUT --gold dev.json
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from system.averitec.claims import ClaimsError
from system.averitec.results import scored_results
from system.files.journal import JournalError


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each number of rounds, and one for all."""
    parser = argparse.ArgumentParser(prog="python -m system.strategies.debate.rounds", description=__doc__)
    parser.add_argument("output", type=Path, metavar="OUTPUT", help="output folder of a run")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="claims with labels")
    arguments = parser.parse_args(argv)
    try:
        scored = scored_results(arguments.output, arguments.gold)
    except (ClaimsError, JournalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    table = Table("rounds", "claims", "accuracy", "tokens in", "tokens out", "calls")
    for number in (*sorted({one.timing.rounds for one, _ in scored}), "all"):
        met = [(one, label, one.timing.cost) for one, label in scored if number in (one.timing.rounds, "all")]
        rows = [(one.verdict.label == label, cost.tokens_in, cost.tokens_out, cost.calls) for one, label, cost in met]
        accuracy, *costs = np.mean(rows, axis=0)
        table.add_row(str(number), str(len(rows)), f"{accuracy:.3f}", *(f"{mean:.1f}" for mean in costs))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
