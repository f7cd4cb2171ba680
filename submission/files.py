"""Read JSON and text files of a submission with errors that name the place, and clean text for its cells."""

import json
import re
from pathlib import Path
from typing import Any, TypeVar

from system.files.texts import FileError, repair

J = TypeVar("J", list[Any], dict[str, Any])
EXTRA = "run scripts/setup.sh score, or pip install '.[score]'"


class SubmissionError(FileError):
    """A file or option that cannot be used; the message names it, what was expected and the remedy."""


class MissingResource(SubmissionError):
    """A file that only one metric needs is not on this machine; the message says how to get it."""


def read_text(path: Path) -> str:
    """Return the file's text with its line ends as they are, without a byte order mark."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise SubmissionError(f"{path} not found") from error
    except OSError as error:
        raise SubmissionError(f"cannot read {path} ({error.strerror})") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SubmissionError(
            f"{path}: line {line}: expected UTF-8, got byte 0x{error.object[error.start]:02x}; save the file as UTF-8"
        ) from error


def read_json(path: Path, kind: type[J]) -> J:
    """Return the array (``list``) or object (``dict``) that a JSON file holds."""
    expected = "a JSON array" if kind is list else "a JSON object"
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # a number may have thousands of digits
        raise SubmissionError(f"{path}: expected {expected}, got an error: {error}; repair the file") from error
    if not isinstance(value, kind):
        remedy = "; wrap the items in [ ]" if kind is list else ""
        raise SubmissionError(f"{path}: expected {expected}, got {type(value).__name__}{remedy}")
    return value


SEPARATOR_RUN = re.compile(r"(?<!\t)\t{2,}\n+")  # starts only at a run's first tab, or time grows quadratically


def clean(text: str) -> str:
    """Return text that may stand as a question or an answer: repaired, stripped, with no separator inside.

    The official scorer splits evidence at two tabs followed by one or two newlines, so such a run becomes a single
    newline. Carriage returns become newlines first, because a separator could hide behind one.

    >>> clean(" first\\t\\t\\r\\n\\r\\nsecond\\n")
    'first\\nsecond'
    """
    text = repair(text).replace("\r\n", "\n").replace("\r", "\n")
    return SEPARATOR_RUN.sub("\n", text).strip()


def same_text(one: str, other: str) -> bool:
    """Return whether two texts differ only in whitespace and in what ``repair`` changes."""
    return repair(one).split() == repair(other).split()
