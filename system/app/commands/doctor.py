"""``factgraph doctor``: examine the machine for the run that the same options would start."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from system.app import options
from system.app.commands.common import EXAMPLE_CLAIMS, EXAMPLE_STORE
from system.app.doctor.findings import State, good, print_findings
from system.app.doctor.inputs import examine_inputs
from system.app.doctor.machine import examine_machine
from system.app.doctor.models import examine_models
from system.machine import choose_profile
from system.settings import load


def command(arguments: Sequence[str]) -> int:
    """Examine the machine and print what was found.

    Returns:
        0 when a run would work, 1 when something that it needs is missing.
    """
    from submission.legacy.resources import local_wordnet  # only here: NLTK takes its time

    args = options.parse(parser(), arguments)
    profile, why = (args.profile, "as was asked") if args.profile else choose_profile()
    settings = load(profile, options.given_settings(args))
    findings = [
        good("profile", f"{profile}: {why}"),
        *examine_machine(args.output, needs_gpu=settings.model.backend == "vllm"),
        *examine_models(settings),
        *examine_inputs(args.claims or EXAMPLE_CLAIMS, args.knowledge_store or EXAMPLE_STORE, local_wordnet()),
    ]
    print_findings(findings, Console())
    return int(any(finding.state is State.BAD for finding in findings))


def parser() -> argparse.ArgumentParser:
    """The options: those of a run that say what it needs."""
    parser = argparse.ArgumentParser(
        prog="factgraph doctor",
        usage="factgraph doctor [--profile NAME] [--claims FILE --knowledge-store FOLDER] [option ...]",
        description="Check that this machine has what a run with the same options needs; say what to do where not.",
    )
    parser.add_argument("--claims", type=Path, metavar="FILE", help="claims of the run (default: the bundled examples)")
    parser.add_argument(
        "--knowledge-store", type=Path, metavar="FOLDER", help="with <claim id>.json; or one file for all claims"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("output"), metavar="FOLDER", help="for all results (default: output)"
    )
    options.add_settings(parser)
    return parser
