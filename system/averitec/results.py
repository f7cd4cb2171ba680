"""Pair the finished claims of a run with their gold labels, and print tables of them."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from system.averitec.claims import ClaimsError
from system.averitec.gold import gold_by_id
from system.files.journal import JournalError, read_finished, read_identity
from system.graph.records import ClaimResult, Label


def scored_results(output: Path, gold: Path) -> list[tuple[ClaimResult, Label]]:
    """Return the results of an output folder with the gold label of each claim, by id and text.

    A run with two labels gets gold with two labels.

    Raises:
        ClaimsError: the gold file cannot be read, or has none of the run's claims.
        JournalError: the folder holds no journal, or it is damaged.
    """
    journal = output / "journal.jsonl"
    annotated, results = gold_by_id(gold), read_finished(journal)
    two_labels = read_identity(journal).get("graph.two_labels") == "True"
    met = [(one, annotated[one.claim.id]) for one in results if one.claim.id in annotated]
    scored = [
        (result, claim.label.of_two if two_labels else claim.label)
        for result, claim in met
        if result.claim.text.split() == claim.claim.text.split()
    ]
    if not scored:
        raise ClaimsError(f"{output}: expected results of claims that {gold} has, got none; give the gold of its split")
    return scored


def print_table(about: str | None, argv: Sequence[str] | None, table: Callable[..., Table]) -> int:
    """Print a table of the runs that a command line names; return its exit status, 2 for bad input."""
    parser = ArgumentParser(description=about)
    parser.add_argument("outputs", type=Path, nargs="+", metavar="OUTPUT", help="output folders of runs")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="claims with labels")
    arguments = parser.parse_args(argv)
    try:
        Console().print(table(arguments.outputs, arguments.gold))
    except (ClaimsError, JournalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0
