"""``factgraph doctor``: examine the machine for the run that the same options would start."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from system.app import options
from system.app.commands.common import EXAMPLE_CLAIMS, EXAMPLE_STORE
from system.app.doctor import Finding, State, examine_inputs, examine_machine, examine_models, good
from system.machine import choose_profile
from system.settings import load

STYLES = {State.GOOD: "green", State.NOTE: "yellow", State.BAD: "bold red"}


def command(arguments: Sequence[str]) -> int:
    """Examine the machine and print what was found.

    Returns:
        0 when a run would work, 1 when something that it needs is missing.
    """
    from submission.legacy.resources import local_wordnet  # only here: NLTK takes its time

    args = options.parse(parser(), arguments)
    given = options.given_settings(args)
    profile, why = (args.profile, "given with --profile") if args.profile else choose_profile(given)
    settings = load(profile, given)
    findings = [
        good("profile", f"{profile}: {why}"),
        *examine_machine(args.output, needs_gpu=settings.model.backend == "vllm"),
        *examine_models(settings),
        *examine_inputs(args.claims or EXAMPLE_CLAIMS, args.knowledge_store or EXAMPLE_STORE, local_wordnet()),
    ]
    print_findings(findings, Console())
    return int(any(finding.state is State.BAD for finding in findings))


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print a line a finding, with its remedy below, and a sentence in the end."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for finding in findings:
        remedy = f"\n→ {finding.remedy}" if finding.remedy else ""
        table.add_row(
            Text(finding.state, style=STYLES[finding.state]),
            Text(finding.subject, style="bold"),
            Text(finding.found + remedy),
        )
    console.print(table)
    console.print(f"\n{_summary(findings)}", markup=False)


def _summary(findings: Sequence[Finding]) -> str:
    missing = [finding.subject for finding in findings if finding.state is State.BAD]
    return f"missing for a run: {', '.join(missing)}" if missing else "this machine has what a run needs"


def parser() -> argparse.ArgumentParser:
    """The options: those of a run that say what it needs."""
    parser = argparse.ArgumentParser(
        prog="factgraph doctor",
        usage="factgraph doctor [--profile NAME] [--claims FILE --knowledge-store FOLDER] [option ...]",
        description="Check that this machine has what a run with the same options needs, "
        "and say how to fix what is missing.",
    )
    parser.add_argument("--claims", type=Path, metavar="FILE", help="claims of the run (default: the bundled examples)")
    parser.add_argument(
        "--knowledge-store",
        type=Path,
        metavar="FOLDER",
        help="folder with a <claim id>.json per claim, or one file for all claims",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("output"), metavar="FOLDER", help="output folder (default: output)"
    )
    options.add_settings(parser)
    return parser
