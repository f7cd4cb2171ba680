"""Reading claims: the AVeriTeC JSON array, JSON Lines, or a text file of one claim a line.

The form is told by the content; the suffix only settles what the content leaves open, so a ``.json`` file that holds
JSON Lines is read as such. A claim's id is its position: the index in an array, otherwise the count of the claims
before it (blank lines are skipped and do not count).
"""

import logging
import re
from dataclasses import dataclass
from pathlib import Path

import orjson

from system.records import Claim

logger = logging.getLogger(__name__)

REMEDY = "give an AVeriTeC JSON array, JSON Lines with a 'claim' each, or a UTF-8 text file of one claim a line"

# Fields of ``Claim`` by their names in AVeriTeC. All other fields, the gold ones among them, are never looked at.
METADATA = {
    "date": "claim_date",
    "speaker": "speaker",
    "original_url": "original_claim_url",
    "reporting_source": "reporting_source",
    "location": "location_ISO_code",
}

# A text file may well begin with "[Video] ..." or with a quotation, but hardly with these.
ARRAY_START = re.compile(r'\s*\[\s*(?:[{"\]]|$)')
OBJECT_START = re.compile(r"\s*\{")


class ClaimsError(Exception):
    """Claims that cannot be read; the message names the file, the line or claim, what was expected and what came."""


@dataclass(frozen=True)
class _Entry:
    """One claim as the file has it: ``where`` it stands, for messages, and its ``value`` as plain data."""

    where: str
    value: object
    may_be_blank: bool = False


def read_claims(path: Path | str, start: int = 0, limit: int | None = None) -> list[Claim]:
    """Read claims in the order of the file.

    A blank claim in an array is kept with a warning: its index is an id that a submission must answer, and the
    official train split has one (1948). Elsewhere it is an error.

    Args:
        path: the file.
        start: id of the first claim wanted.
        limit: how many claims are wanted at most; None is all. Ids stay what they are in the whole file.

    Raises:
        ClaimsError: the file cannot be read in any of the three forms, a claim that is wanted has a field of the
            wrong kind, or ``start`` and ``limit`` choose nothing.
    """
    path = Path(path)
    entries = _entries(path, _read_text(path))
    if not 0 <= start < len(entries):
        raise ClaimsError(f"{path}: start is {start}, but the ids run from 0 to {len(entries) - 1}; choose one of them")
    if limit is not None and limit < 1:
        raise ClaimsError(f"{path}: limit is {limit}, expected at least 1; leave it out to read all claims")
    stop = None if limit is None else start + limit
    return [_claim(path, number, entry) for number, entry in enumerate(entries[start:stop], start)]


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ClaimsError(f"{path}: no such file, expected a file of claims; {REMEDY}") from None
    except IsADirectoryError:
        raise ClaimsError(f"{path}: is a directory, expected a file of claims; name the file in it") from None
    except UnicodeDecodeError as error:
        raise ClaimsError(
            f"{path}: expected UTF-8, came byte 0x{error.object[error.start]:02x} at offset {error.start}; "
            "save the file as UTF-8"
        ) from error
    except OSError as error:
        raise ClaimsError(f"{path}: cannot be read ({error.strerror}); make it readable") from error


def _entries(path: Path, text: str) -> list[_Entry]:
    """The file's claims in whichever form it has; at least one."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise ClaimsError(f"{path}: holds no claims, expected at least one; {REMEDY}")
    if (document := _document(path, text)) is not None:
        return document
    if _is_json_lines(path, lines):
        return [_Entry(f"line {number}", _json_line(path, number, line)) for number, line in lines]
    return [_Entry(f"line {number}", line) for number, line in lines]


def _document(path: Path, text: str) -> list[_Entry] | None:
    """The entries of a file that is one JSON array or one object with a claim; None if it is neither."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if not ARRAY_START.match(text):
            return None
        raise ClaimsError(
            f"{path}: line {error.lineno}, column {error.colno}: expected a JSON array, came {error.msg}; "
            "repair the file or, if it was cut short, fetch it again"
        ) from error
    if isinstance(value, list):
        if not value:
            raise ClaimsError(f"{path}: the array is empty, expected at least one claim; {REMEDY}")
        return [_Entry(f"claim {index}", item, may_be_blank=True) for index, item in enumerate(value)]
    if isinstance(value, dict):
        if "claim" not in value:
            keys = ", ".join(repr(key) for key in list(value)[:5]) or "no fields"
            raise ClaimsError(f"{path}: expected an array of claims, came an object with {keys}; {REMEDY}")
        return [_Entry("claim 0", value)]
    return None


def _is_json_lines(path: Path, lines: list[tuple[int, str]]) -> bool:
    """Tell JSON Lines from text; a file of nothing but quoted lines is JSON Lines."""
    if path.suffix in (".json", ".jsonl") or OBJECT_START.match(lines[0][1]):
        return True
    try:
        return all(isinstance(orjson.loads(line), str) for _, line in lines)
    except orjson.JSONDecodeError:
        return False


def _json_line(path: Path, number: int, line: str) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ClaimsError(
            f"{path}: line {number}: expected a JSON object or string on one line, came {error.msg} "
            f"at column {error.colno}: {line[:60]!r}; repair the line, or name a file of plain claims .txt"
        ) from error


def _claim(path: Path, number: int, entry: _Entry) -> Claim:
    """Make the claim of an entry, which is an object or the text itself."""
    place = f"{path}: {entry.where}"
    fields = {"claim": entry.value} if isinstance(entry.value, str) else entry.value
    if not isinstance(fields, dict):
        raise ClaimsError(f"{place}: expected an object with a 'claim', came {_kind(fields)}; {REMEDY}")
    text = fields.get("claim")
    if not isinstance(text, str):
        came = _kind(text) if "claim" in fields else "no such field"
        raise ClaimsError(f"{place}: 'claim': expected a string, came {came}; write the claim's text there")
    if not text.strip():
        if not entry.may_be_blank:
            raise ClaimsError(f"{place}: 'claim': expected some text, came a blank string; write it or drop the line")
        logger.warning("%s: the text is blank; kept, so that it has its row in the submission", place)
    metadata = {field: _metadata(place, fields, name) for field, name in METADATA.items()}
    return Claim(id=number, text=text, **metadata)


def _metadata(place: str, fields: dict[str, object], name: str) -> str:
    """An optional field's text; a missing one, null and blanks all mean unknown, the empty string."""
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise ClaimsError(f"{place}: {name!r}: expected a string or null, came {_kind(value)}; correct or remove it")
    return (value or "").strip()


def _kind(value: object) -> str:
    """What a JSON value is, in JSON's own words."""
    kinds: dict[type, str] = {str: "a string", list: "an array", dict: "an object", bool: "a boolean"}
    return "null" if value is None else kinds.get(type(value), "a number")
