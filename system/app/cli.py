"""The command line: which command runs, and what becomes of errors that a user can mend."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches

import knowledge_store.__main__
import submission.__main__
from knowledge_store.dense.encoder import EncoderUnavailable
from knowledge_store.pages.documents import DocumentsError
from knowledge_store.searchers import SearchError
from submission.files import SubmissionError
from system.app.commands import compare, completion, doctor, fetch, run, serve, verify
from system.app.commands.common import EXIT_INTERRUPTED
from system.app.service.access import AccessError
from system.claims import ClaimsError
from system.journal import JournalError
from system.models.base import ModelUnavailable
from system.runner.checker import CheckerError
from system.settings import SettingsError
from system.weights import WeightsError


def _scores(name: str) -> Callable[[Sequence[str]], int]:
    return lambda arguments: submission.__main__.main([name, *arguments], "factgraph")


def _store(arguments: Sequence[str]) -> int:
    return knowledge_store.__main__.main(arguments, "factgraph store")


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "run": run.command,
    "verify": verify.command,
    "compare": compare.command,
    **{name: _scores(name) for name in ("score", "report", "validate", "calibrate")},
    "store": _store,
    "doctor": doctor.command,
    "fetch": fetch.command,
    "serve": serve.command,
    "completion": completion.command,
}

# What a user can mend; anything else is a defect of ours and keeps its traceback.
USER_ERRORS = (
    AccessError,
    CheckerError,
    ClaimsError,
    DocumentsError,
    EncoderUnavailable,
    JournalError,
    ModelUnavailable,
    SearchError,
    SettingsError,
    SubmissionError,
    WeightsError,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; without the name of one, a check of a file of claims.

    Returns:
        0 when every claim has an answer, 3 when some were answered by a failure, 2 for bad input, 130 after Ctrl-C.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("system").setLevel(logging.INFO)  # memory plan, load times, adapters that are absent
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments and not arguments[0].startswith("-") else ""
    if name and name not in COMMANDS:
        print(f"error: {_unknown(name)}", file=sys.stderr)
        return 2
    try:
        status = COMMANDS[name](arguments[1:]) if name else run.command(arguments)
    except USER_ERRORS as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # a disk that is full, gone or closed to us; no defect of ours shows itself so
        print(f"error: {error}; finished claims are in the journal: fix this, then use --resume", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    if status == EXIT_INTERRUPTED and argv is None:  # the process is about to end: another Ctrl-C ends it at once
        signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
    return status


def _unknown(name: str) -> str:
    """What to say of a word that is no command.

    >>> _unknown("verfy")
    "no command 'verfy'; did you mean verify?"
    """
    close = get_close_matches(name, COMMANDS, n=1)
    advice = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(COMMANDS)}"
    return f"no command {name!r}; {advice}"
