"""``factgraph completion``: the script that a shell reads, made from the parsers themselves."""

import argparse
from collections.abc import Sequence

from system.app.commands import mcp, run, serve
from system.app.parsers import PARSERS

SHELLS = ("bash", "zsh", "tcsh", "fish")


def command(arguments: Sequence[str]) -> int:
    """Print the completion script of a shell."""
    import shtab  # only here: no other command needs it

    shell = parser().parse_args(arguments).shell
    print(shtab.complete(_whole(), shell))
    return 0


def parser() -> argparse.ArgumentParser:
    """The one argument: which shell."""
    parser = argparse.ArgumentParser(
        prog="factgraph completion",
        description="Print a script that completes the commands and options of factgraph.",
        epilog='bash: put  eval "$(factgraph completion bash)"  into ~/.bashrc.',
    )
    parser.add_argument("shell", choices=SHELLS)
    return parser


def _whole() -> argparse.ArgumentParser:
    """The parser of the command that needs no name, with all others under it."""
    whole = run.parser()
    subparsers = whole.add_subparsers()
    for made in (make() for make in (*PARSERS.values(), serve.parser, mcp.parser)):
        subparsers.add_parser(made.prog.split()[-1], parents=[made], add_help=False, help=made.description)
    own = parser()
    subparsers.add_parser("completion", parents=[own], add_help=False, help=own.description)
    return whole
