"""Shell completion: the script that a shell reads, made from the parsers themselves."""

import argparse
from collections.abc import Mapping, Sequence

SHELLS = ("bash", "zsh", "tcsh", "fish")


def completion(
    arguments: Sequence[str], run: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser]
) -> int:
    """Print the completion script of a shell.

    Args:
        run: parser of the command that needs no name; it is changed.
        commands: parsers of the others by name.
    """
    import shtab  # only here: no other command needs it

    shell = parser().parse_args(arguments).shell
    _add_commands(run, {**commands, "completion": parser()})
    run.prog = "factgraph"
    print(shtab.complete(run, shell))
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


def _add_commands(run: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser]) -> None:
    subparsers = run.add_subparsers()
    for name, command in commands.items():
        command.prog = f"factgraph {name}"
        subparsers.add_parser(name, parents=[command], add_help=False, help=command.description)
