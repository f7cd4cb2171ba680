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


def by_rounds(output: Path, gold: Path) -> dict[str, tuple[float, ...]]:
    """Return claims, accuracy, and mean tokens in, tokens out and calls, by number of rounds and for "all".

    Raises:
        ClaimsError, JournalError: see ``scored_results``.
    """
    rows = [
        (one.timing.rounds, one.verdict.label == gold_label, cost.tokens_in, cost.tokens_out, cost.calls)
        for one, gold_label in scored_results(output, gold)
        for cost in [one.timing.cost]
    ]
    groups = {str(number): [row for row in rows if row[0] == number] for number in sorted({row[0] for row in rows})}
    return {
        name: (len(group), *map(float, np.mean([row[1:] for row in group], axis=0)))
        for name, group in (groups | {"all": rows}).items()
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each number of rounds."""
    parser = argparse.ArgumentParser(prog="python -m system.strategies.debate.rounds", description=__doc__)
    parser.add_argument("output", type=Path, metavar="OUTPUT", help="output folder of a run")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="claims with labels")
    arguments = parser.parse_args(argv)
    try:
        found = by_rounds(arguments.output, arguments.gold)
    except (ClaimsError, JournalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    table = Table("rounds", "claims", "accuracy", "tokens in", "tokens out", "calls")
    for name, (claims, accuracy, *costs) in found.items():
        table.add_row(name, str(claims), f"{accuracy:.3f}", *(f"{mean:.1f}" for mean in costs))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
