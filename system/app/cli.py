"""The command line: which command runs, and what becomes of errors that a user can mend."""

import logging
import os
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper

COMMANDS = {
    "run": "system.app.commands.run",
    "verify": "system.app.commands.verify",
    "text": "system.app.commands.text",
    "citations": "system.app.commands.citations",
    **dict.fromkeys(("score", "report", "validate", "calibrate"), "submission.__main__"),
    "store": "knowledge_store.__main__",
    "doctor": "system.app.commands.doctor",
    "fetch": "system.app.commands.fetch",
    "serve": "system.app.commands.serve",
    "mcp": "system.app.commands.mcp",
    "completion": "system.app.commands.completion",
}
"""Each command's module, imported only when the command is chosen: models' libraries take seconds."""

EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; without the name of one, a check of a file of claims.

    Returns:
        0 when every claim has an answer, 1 when a statement of a text is refuted, 3 when some were answered by a
        failure, 2 for bad input, 130 after Ctrl-C.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if argv is None and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="surrogateescape")  # paths that are not UTF-8 are printed as they are
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("system").setLevel(logging.INFO)  # memory plan, load times, adapters that are absent
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments and not arguments[0].startswith("-") else ""
    if arguments in (["--version"], ["--help"], ["-h"]):
        import_module(COMMANDS["run"]).overview().parse_args(arguments)  # which prints, and ends
    if name and name not in COMMANDS:
        print(f"error: {_unknown(name)}", file=sys.stderr)
        return 2
    try:
        status = _run(name or "run", arguments[bool(name) :])
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    except Exception as error:
        if not (reason := _reason(error)):
            raise
        print(f"error: {reason}", file=sys.stderr)
        return 2
    if status == EXIT_INTERRUPTED and argv is None:  # the process is about to end: another Ctrl-C ends it at once
        signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
    return status


def _run(name: str, arguments: Sequence[str]) -> int:
    if name in (parsers := import_module("system.app.parsers")).PARSERS:  # which ends with help or a typo, in no time
        import_module("system.app.options").parse(parsers.PARSERS[name](), arguments)
    module = import_module(COMMANDS[name])
    match module.__name__:
        case "submission.__main__":
            status: int = module.main([name, *arguments], "factgraph")
        case "knowledge_store.__main__":
            status = module.main(arguments, "factgraph store")
        case _:
            status = module.command(arguments)
    return status


def _reason(error: Exception) -> str:
    """The message of an error that a user can mend; empty for any other, which is a defect of ours."""
    from system.app.errors import USER_ERRORS  # only here: it knows all that can raise them

    if isinstance(error, USER_ERRORS):
        return str(error)
    if isinstance(error, OSError):  # a disk that is full, gone or closed to us; no defect of ours shows itself so
        return f"{error}; finished claims are in the journal: fix this, then use --resume"
    return ""


def _unknown(name: str) -> str:
    """The message about a word that is no command.

    >>> _unknown("verfy")
    "no command 'verfy'; did you mean verify?"
    """
    close = get_close_matches(name, COMMANDS, n=1)
    advice = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(COMMANDS)}"
    return f"no command {name!r}; {advice}"
