"""``factgraph run``, or without the name of a command: check a file of claims."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from system import __version__
from system.app import options

OTHER_COMMANDS = """commands (each has its own --help; the default is run):
  run          check a file of claims
  verify       check one claim against documents of your own
  text         check the statements of a text
  citations    check whether the sources of a text say what it says
  score        score predictions against gold labels, or compare runs
  report       write the HTML report of a run
  validate     find faults in a submission
  calibrate    fit confidences to gold labels
  store        build, index or search a knowledge store
  doctor       check that this machine has what a run needs
  fetch        download a profile's weights before a run
  serve        answer claims over HTTP
  mcp          give assistants the checks as tools (Model Context Protocol)
  completion   print a shell completion script
"""


def command(arguments: Sequence[str]) -> int:
    """Check a file of claims and write the submission, the time report and the HTML report."""
    args = options.parse(parser(), arguments)
    from system.app.commands.checking import check_file  # only now: it takes seconds, which no help should

    return check_file(args)


def overview() -> argparse.ArgumentParser:
    """The parser without the settings, for which all strategies would have to be imported."""
    parser = argparse.ArgumentParser(
        prog="factgraph",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="factgraph [--claims FILE --knowledge-store FOLDER] [--output FOLDER] [option ...]",
        description="Check claims against a knowledge store; write a leaderboard submission and a time report.\n\n"
        + OTHER_COMMANDS,
        epilog="every setting has an option too: factgraph run --help shows the usual ones, factgraph --help-all all",
    )
    parser.add_argument("--version", action="version", version=f"factgraph {__version__}")
    options.add_inputs(parser, Path("output"))
    parser.add_argument("--resume", action="store_true", help="resume the run in --output")
    parser.add_argument("--overwrite", action="store_true", help="replace the run in --output")
    parser.add_argument("--trace", action="store_true", help="write every prompt and reply to trace.jsonl")
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="spread the claims over a Ray cluster, one engine per GPU or per share of CPUs; HOST:PORT of its head, "
        "auto for the cluster that this machine belongs to, or no value for this machine alone",
    )
    return parser


def parser() -> argparse.ArgumentParser:
    """The options."""
    parser = overview()
    parser.epilog = None
    options.add_settings(parser)
    return parser
