"""Files that are written whole or not at all, JSON that is read with a clear error, and text that survives both."""

import json
import re
from pathlib import Path
from typing import Any

from knowledge_store.normalization import encodable
from system.files.atomic import write_atomically


class SubmissionError(Exception):
    """A file that cannot be read or must not be written; the message names it, what was expected and the remedy."""


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8 so that, whatever happens, ``path`` holds either what it held before or all of ``text``.

    Line ends are written as they are. The folder is made if it is missing.

    Raises:
        SubmissionError: the file cannot be written.
    """
    data = text.encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        raise SubmissionError(f"cannot write {path} ({error.strerror}); give another path") from error


def read_text(path: Path) -> str:
    """The file's text, its line ends as they are, without a byte order mark.

    Raises:
        SubmissionError: there is no such file, or it is not UTF-8.
    """
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


def read_json_array(path: Path) -> list[object]:
    """The items of a file that holds one JSON array.

    Raises:
        SubmissionError: it holds something else.
    """
    try:
        value = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SubmissionError(f"{path}: {place}: expected a JSON array, got: {error.msg}; repair the file") from error
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise SubmissionError(
            f"{path}: expected a JSON array, got one that is too large to read: {error}; repair the file"
        ) from error
    if not isinstance(value, list):
        raise SubmissionError(f"{path}: expected a JSON array, got {type(value).__name__}; wrap the items in [ ]")
    return value


def read_object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object.

    Raises:
        SubmissionError: it holds something else.
    """
    try:
        value = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise SubmissionError(f"{path}: line {error.lineno}: expected JSON, got: {error.msg}") from error
    if not isinstance(value, dict):
        raise SubmissionError(f"{path}: expected an object, got {type(value).__name__}")
    return value


class MissingResource(SubmissionError):
    """A file that one metric alone needs is not on this machine; the message says how to get it."""


SEPARATOR_RUN = re.compile(r"(?<!\t)\t{2,}\n+")  # from its first tab alone, or time grows with their square


def repair(text: str) -> str:
    """Text that UTF-8 can carry: surrogate pairs joined, lone surrogates become U+FFFD, NULs go.

    >>> repair("a\\ud83d\\ude00 b\\ud800 c\\0")
    'a😀 b\ufffd c'
    """
    return encodable(text).replace("\0", "")


def clean(text: str) -> str:
    """Text that may stand as a question or an answer: repaired, stripped, with no separator inside.

    The official scorer splits evidence at two tabs followed by one or two newlines, so such a run becomes a single
    newline. Carriage returns become newlines first, lest a separator hide behind one.

    >>> clean(" first\\t\\t\\r\\n\\r\\nsecond\\n")
    'first\\nsecond'
    """
    text = repair(text).replace("\r\n", "\n").replace("\r", "\n")
    return SEPARATOR_RUN.sub("\n", text).strip()


def same_text(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but whitespace and what ``repair`` changes."""
    return repair(one).split() == repair(other).split()
