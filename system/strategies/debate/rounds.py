"""Accuracy and cost of runs by the rounds that their claims took (DebateCV, figure 2 and table 7).

python -m system.strategies.debate.rounds OUTPUT ... --gold dev.json
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.table import Table

from system.averitec.results import print_table, scored_results


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each number of rounds, and one for all."""
    return print_table(__doc__, argv, _table)


def _table(outputs: Sequence[Path], gold: Path) -> Table:
    scored = [one for output in outputs for one in scored_results(output, gold)]
    table = Table("rounds", "claims", "accuracy", "tokens in", "tokens out", "calls")
    for number in (*sorted({one.timing.rounds for one, _ in scored}), "all"):
        met = [(one, label, one.timing.cost) for one, label in scored if number in (one.timing.rounds, "all")]
        rows = [(one.verdict.label == label, cost.tokens_in, cost.tokens_out, cost.calls) for one, label, cost in met]
        accuracy, *costs = np.mean(rows, axis=0)
        table.add_row(str(number), str(len(rows)), f"{accuracy:.3f}", *(f"{mean:.1f}" for mean in costs))
    return table


if __name__ == "__main__":
    sys.exit(main())
