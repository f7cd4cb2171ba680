"""Pair the finished claims of a run with their gold labels."""

from pathlib import Path

from system.averitec.claims import ClaimsError
from system.averitec.gold import gold_by_id
from system.files.journal import read_finished, read_identity
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
