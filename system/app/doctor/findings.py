"""What an examination found, and how it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Console
from rich.table import Table
from rich.text import Text


class State(StrEnum):
    """How a finding bears on a run."""

    GOOD = "ok"
    NOTE = "note"  # a run works without
    BAD = "missing"  # a run fails

    @property
    def colour(self) -> str:
        """Colour on the terminal."""
        return {State.GOOD: "green", State.NOTE: "yellow", State.BAD: "bold red"}[self]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        subject: what, in a word or two.
        found: what is there.
        remedy: what the user can do; every BAD finding has one.
    """

    subject: str
    state: State
    found: str
    remedy: str = ""


def good(subject: str, found: str) -> Finding:
    """A finding that is as it should be."""
    return Finding(subject, State.GOOD, found)


def note(subject: str, found: str, remedy: str) -> Finding:
    """A finding that a run works without."""
    return Finding(subject, State.NOTE, found, remedy)


def bad(subject: str, found: str, remedy: str) -> Finding:
    """A finding that a run fails for."""
    return Finding(subject, State.BAD, found, remedy)


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print a line a finding, with its remedy below, and a sentence in the end."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for finding in findings:
        remedy = f"\n→ {finding.remedy}" if finding.remedy else ""
        table.add_row(
            Text(finding.state, style=finding.state.colour),
            Text(finding.subject, style="bold"),
            Text(finding.found + remedy),
        )
    console.print(table)
    console.print(f"\n{_summary(findings)}", markup=False)


def _summary(findings: Sequence[Finding]) -> str:
    missing = [finding.subject for finding in findings if finding.state is State.BAD]
    return f"missing for a run: {', '.join(missing)}" if missing else "this machine has what a run needs"
