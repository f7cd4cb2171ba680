"""The command line: which command runs, and what becomes of errors that a user can mend."""

import logging
import os
import sys
from collections.abc import Callable, Sequence

from factgraph.commands import compare, completion, doctor, fetch, run, serve, verify
from factgraph.commands.common import EXIT_INTERRUPTED
from factgraph.service.access import AccessError
from knowledge_store.dense.encoder import EncoderUnavailable
from knowledge_store.pages.documents import DocumentsError
from submission.files import SubmissionError
from system.claims import ClaimsError
from system.journal import JournalError
from system.models.base import ModelUnavailable
from system.runner.checker import CheckerError
from system.settings import SettingsError
from system.weights import WeightsError

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "verify": verify.command,
    "compare": compare.command,
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
    for package in ("factgraph", "system"):
        logging.getLogger(package).setLevel(logging.INFO)  # memory plan, load times, adapters that are absent
    arguments = list(sys.argv[1:] if argv is None else argv)
    named = COMMANDS.get(next(iter(arguments), ""))
    try:
        return named(arguments[1:]) if named else run.command(arguments)
    except USER_ERRORS as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # a disk that is full, gone or closed to us; no defect of ours shows itself so
        print(f"error: {error}; what is finished is in the journal, and --resume goes on with it", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
