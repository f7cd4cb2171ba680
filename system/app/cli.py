"""The command line: which command runs, and what becomes of errors that a user can mend.

A command's module is imported when the command is chosen, and it imports what is large only after its options and
paths are checked: help, typos and wrong paths are answered at once.
"""

import logging
import os
import re
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError, UnusedCliTokensError

from knowledge_store.pages.page import shown_path
from system import __version__
from system.app.errors import can_be_mended

if TYPE_CHECKING:  # rich takes a tenth of a second to import
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

COMMANDS = {
    "run": "check a file of claims (the default)",
    "verify": "check one claim against documents of your own",
    "text": "check the statements of a text",
    "citations": "check whether the sources of a text say what it says",
    "score": "score predictions against gold labels, or compare runs",
    "report": "write the HTML report of a run",
    "validate": "find faults in a submission",
    "calibrate": "fit confidences to gold labels",
    "store": "build, index or search a knowledge store",
    "doctor": "check that this machine has what a run needs",
    "fetch": "download a profile's weights before a run",
    "embed": "embed the passages of knowledge stores before a run",
    "serve": "answer claims over HTTP",
    "mcp": "give assistants the checks as tools (Model Context Protocol)",
    "completion": "print a shell completion script",
}
OTHERS = {"store": "knowledge_store.__main__"} | dict.fromkeys(
    ("score", "report", "validate", "calibrate"), "submission.__main__"
)
"""Commands of other packages, which parse their own options."""

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def _show_panel(console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
    """Print a part of a help; of the settings, only those that people use unless ``--help-all`` is given."""
    from cyclopts.help import DefaultFormatter

    if panel.format == "parameter":
        from system.app.options import usual  # only now: it reads all settings

        panel = panel.copy(entries=usual(panel.entries))
    if panel.entries:
        DefaultFormatter()(console, options, panel)


_DASH = re.compile(r"^-(?=[^-=\s]*\s)")  # begins a claim, as in "- It opened in 1932.", and no option


app = App(
    name="factgraph",
    help="""Check claims against evidence.

    Usage: factgraph [--claims FILE --knowledge-store FOLDER] [--output FOLDER] [option ...]

    Each command has its own --help. Every setting has an option too: factgraph run --help shows the usual ones,
    factgraph run --help-all all.""",
    version=f"factgraph {__version__}",
    default_parameter=Parameter(negative=(), show_default=False),
    help_formatter=_show_panel,
    print_error=False,
    exit_on_error=False,
    result_action="return_value",
)
for _name, _help in COMMANDS.items():
    _module = "run" if _name in OTHERS else _name  # those of other packages are only listed
    app.command(f"system.app.commands.{_module}:{_module}", name=_name, help=_help)


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
    logging.getLogger("system").setLevel(logging.INFO)  # KV cache, load times, adapters that are absent
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    except Exception as error:
        if not (reason := _reason(error)):
            raise
        print(f"error: {reason}", file=sys.stderr)
        status = EXIT_BAD_INPUT
    if status == EXIT_INTERRUPTED and argv is None:  # the process is about to end: another Ctrl-C ends it at once
        signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
    return status


def _run(arguments: list[str]) -> int:
    name = arguments[0] if arguments and not arguments[0].startswith("-") else ""
    if name and name not in COMMANDS:
        print(f"error: {_unknown(name)}", file=sys.stderr)
        return EXIT_BAD_INPUT
    if name in OTHERS:
        prefix = [] if name == "store" else [name]
        prog = "factgraph store" if name == "store" else "factgraph"
        status: int = import_module(OTHERS[name]).main([*prefix, *arguments[1:]], prog)
        return status
    if not name and arguments not in (["--version"], ["--help"], ["-h"]):
        arguments = ["run", *arguments]
    if "--help-all" in arguments:
        import_module("system.app.options").EVERY_SETTING.set(True)
        arguments = [arguments[0], "--help"]
    if arguments[0] in COMMANDS:
        app[arguments[0]].help = None  # then its docstring is the help, not its line in the list of commands
    return app(["/dev/stdin" if one == "-" else _DASH.sub(" -", one) for one in arguments]) or 0


def _reason(error: Exception) -> str:
    """The message of an error that a user can mend; empty for any other, which is a defect of ours."""
    match error:
        case UnknownOptionError():
            advice = "" if "Did you mean" in str(error) else " --help-all shows every option."
            return f"{error}{advice}"
        case UnusedCliTokensError():
            return f"unexpected {' '.join(error.unused_tokens or ())}; put a text of several words in quotation marks"
        case CycloptsError():
            return str(error).encode(errors="backslashreplace").decode()
    if can_be_mended(error):
        return str(error)
    if isinstance(error, OSError):  # a disk that is full, gone or closed to us; no defect of ours shows itself so
        why = f"{shown_path(error.filename or 'a file')}: {error.strerror or error}"
        return f"{why}; mend this; what a run has finished is in its journal (--resume)"
    return ""


def _unknown(name: str) -> str:
    """The message about a word that is no command.

    >>> _unknown("verfy")
    "no command 'verfy'; did you mean verify?"
    """
    close = get_close_matches(name, COMMANDS, n=1)
    advice = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(COMMANDS)}"
    return f"no command {name!r}; {advice}"
