"""Reading claims: AVeriTeC's JSON array, JSON Lines, CSV with a header, or a text file of one claim a line.

A ``.csv`` or ``.tsv`` file is a table. Of other files the content tells the form; the suffix only settles what the
content leaves open, so a ``.json`` file that holds JSON Lines is read as such. A claim has the ``id`` that its file
gives it; in a file without ids that is its position: the index in an array, otherwise the count of the claims before
it (blank lines are skipped and do not count).
"""

import csv
import io
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from system.graph.records import Claim, official_date, short_enough
from system.graph.records import ClaimsError as ClaimsError

logger = logging.getLogger(__name__)

REMEDY = (
    "give an AVeriTeC JSON array, JSON Lines with a 'claim' each, CSV with a column 'claim', "
    "or a UTF-8 text file of one claim a line"
)
TABLES = (".csv", ".tsv")
DELIMITERS = ",;\t"
ID = re.compile("[0-9]{1,15}")

# Fields of ``Claim`` by their names in AVeriTeC; either name will do. All other fields, the gold ones among them, are
# never looked at.
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


@dataclass(frozen=True)
class _Entry:
    """One claim as the file has it: the ``place`` where it stands, for messages, and its ``value`` as plain data."""

    place: str
    value: object
    may_be_blank: bool = False


def read_claims(path: Path | str, start: int = 0, limit: int | None = None) -> list[Claim]:
    """Read claims in the order of the file.

    A blank claim in an array is kept with a warning: its index is an id that a submission must answer, and the
    official train split has one (1948). Elsewhere it is an error.

    Args:
        path: the file.
        start: the first claim wanted, counted from 0.
        limit: how many claims are wanted at most; None is all. Ids stay what they are in the whole file.

    Raises:
        ClaimsError: the file cannot be read in any of the forms, a claim that is wanted has a field of the wrong kind
            or shares its id with another, or ``start`` and ``limit`` choose nothing.
    """
    path = Path(path)
    entries = _entries(path, _read_text(path))
    if not 0 <= start < len(entries):
        raise ClaimsError(f"{path}: start: expected 0 to {len(entries) - 1}, got {start}")
    if limit is not None and limit < 1:
        raise ClaimsError(f"{path}: limit: expected at least 1, got {limit}; leave it out to read all claims")
    wanted = entries[start : None if limit is None else start + limit]
    rows = [_fields(entry) for entry in wanted]
    return [_claim(*each) for each in zip(wanted, rows, _ids(wanted, rows, start), strict=True)]


def claim_of(fields: Mapping[str, object], place: str = "claim") -> Claim:
    """A claim from its fields, by the names that they have in a file of claims.

    >>> claim_of({"claim": "Water is wet.", "claim_date": "25-8-2020"}).date
    '25-8-2020'

    Args:
        place: what to call the claim in messages.

    Raises:
        ClaimsError: it has no text, or a field of the wrong kind.
    """
    number = _id(place, fields)
    return _claim(_Entry(place, fields), fields, int(number) if number else None)


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ClaimsError(f"{path} not found; {REMEDY}") from None
    except OSError as error:
        raise ClaimsError(f"{path}: expected a file of claims; cannot read it ({error.strerror})") from error
    if data.startswith(b"%PDF") or b"\0" in data[:1000]:
        raise ClaimsError(f"{path}: not a text file; {REMEDY}")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise ClaimsError(
            f"{path}: expected UTF-8, got byte 0x{data[error.start]:02x} at offset {error.start}; "
            "save the file as UTF-8"
        ) from error


def _entries(path: Path, text: str) -> list[_Entry]:
    """The file's claims in whichever form it has; at least one."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise ClaimsError(f"{path}: holds no claims, expected at least one; {REMEDY}")
    if path.suffix.lower() in TABLES:
        return _table(path, text)
    if (document := _document(path, text)) is not None:
        return document
    if _is_json_lines(path, lines):
        return [_Entry(f"{path}: line {number}", _json_line(path, number, line)) for number, line in lines]
    return [_Entry(f"{path}: line {number}", line) for number, line in lines]


def _table(path: Path, text: str) -> list[_Entry]:
    """The rows of a CSV as spreadsheets write it: separated by commas, semicolons or tabs, with a header."""
    header: list[str] = []
    entries = []
    delimiter = max(DELIMITERS, key=text.lstrip().partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in rows:
            place, line = f"{path}: line {line}", rows.line_num + 1
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not header:
                header = _header(place, cells)
            elif len(cells) != len(header):
                raise ClaimsError(
                    f"{place}: expected {len(header)} cells, got {len(cells)}; quote cells that hold {delimiter!r}"
                )
            else:
                entries.append(_Entry(place, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        raise ClaimsError(f"{path}: line {line}: expected a row of CSV ({error}); check its quotes") from error
    if not entries:
        raise ClaimsError(f"{path}: holds no claims, expected at least one below the header; {REMEDY}")
    return entries


def _header(place: str, cells: Sequence[str]) -> list[str]:
    """The names of the columns, those that are known as the JSON form spells them."""
    known = {name.casefold(): name for name in ("id", "claim_id", "claim", *METADATA, *METADATA.values())}
    names = [known.get(cell.casefold(), cell) for cell in cells]
    if names.count("claim") != 1:
        got = ", ".join(f"{cell!r:.40}" for cell in cells[:8])
        raise ClaimsError(f"{place}: expected a header with one column 'claim', got {got}; correct the header")
    return names


def _document(path: Path, text: str) -> list[_Entry] | None:
    """The entries of a file that is one JSON array or one object with a claim; None if it is neither."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if not ARRAY_START.match(text):
            return None
        raise ClaimsError(
            f"{path}: line {error.lineno}, column {error.colno}: expected a JSON array, got {error.msg}; "
            "repair the file or, if it was cut short, fetch it again"
        ) from error
    if isinstance(value, list):
        if not value:
            raise ClaimsError(f"{path}: the array is empty, expected at least one claim; {REMEDY}")
        return [_Entry(f"{path}: claim {index}", item, may_be_blank=True) for index, item in enumerate(value)]
    if isinstance(value, dict):
        if "claim" not in value:
            keys = ", ".join(repr(key) for key in list(value)[:5]) or "no fields"
            raise ClaimsError(f"{path}: expected an array of claims, got an object with {keys}; {REMEDY}")
        return [_Entry(f"{path}: claim", value)]
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
            f"{path}: line {number}: expected a JSON object or string on one line, got {error.msg} "
            f"at column {error.colno}: {line[:60]!r}; repair the line, or name a file of plain claims .txt"
        ) from error


def _fields(entry: _Entry) -> Mapping[str, object]:
    """The fields of an entry, which is an object or the text itself."""
    fields = {"claim": entry.value} if isinstance(entry.value, str) else entry.value
    if not isinstance(fields, dict):
        raise ClaimsError(f"{entry.place}: expected an object with a 'claim', got {_kind(fields)}; {REMEDY}")
    return fields


def _ids(entries: Sequence[_Entry], rows: Sequence[Mapping[str, object]], start: int) -> list[int]:
    """The ids that the file gives its claims, else their positions."""
    given = [_id(entry.place, fields) for entry, fields in zip(entries, rows, strict=True)]
    if not any(given):
        return list(range(start, start + len(given)))
    places: dict[int, str] = {}
    for entry, text in zip(entries, given, strict=True):
        if not text:
            raise ClaimsError(f"{entry.place}: has no id, but other claims do; give every claim an id, or none")
        if int(text) in places:
            raise ClaimsError(f"{entry.place}: expected a unique id, got {text}, already used by {places[int(text)]}")
        places[int(text)] = entry.place
    return list(places)


def _id(place: str, fields: Mapping[str, object]) -> str:
    value = fields.get("id", fields.get("claim_id"))
    text = "" if value is None else str(value)
    if text and not ID.fullmatch(text):
        raise ClaimsError(f"{place}: 'id': expected a number from 0, got {value!r:.60}; number the claims or drop ids")
    return text


def _claim(entry: _Entry, fields: Mapping[str, object], number: int | None) -> Claim:
    text = fields.get("claim")
    if not isinstance(text, str):
        got = _kind(text) if "claim" in fields else "no such field"
        raise ClaimsError(f"{entry.place}: 'claim': expected a string, got {got}; write the claim's text there")
    if not text.strip():
        if not entry.may_be_blank:
            raise ClaimsError(f"{entry.place}: 'claim': expected some text, got a blank string; write it or drop it")
        logger.warning("%s: the text is blank; kept, so that it has its row in the submission", entry.place)
    try:
        short_enough(text)
    except ValueError as error:
        raise ClaimsError(f"{entry.place}: 'claim': {error}") from None
    metadata = {field: _metadata(entry.place, fields, field) for field in METADATA}
    return Claim.model_validate({"text": text, **metadata, **({} if number is None else {"id": number})})


def _metadata(place: str, fields: Mapping[str, object], field: str) -> str:
    """An optional field's text; a missing one, null and blanks all mean unknown, the empty string."""
    name = METADATA[field] if METADATA[field] in fields else field
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise ClaimsError(f"{place}: {name!r}: expected a string or null, got {_kind(value)}; correct or remove it")
    text = (value or "").strip()
    try:
        return official_date(text) if field == "date" else text
    except ValueError as error:
        raise ClaimsError(f"{place}: {name!r}: {error}; correct or remove it") from error


def _kind(value: object) -> str:
    """Name the type of a JSON value, in JSON's own words."""
    kinds: dict[type, str] = {str: "a string", list: "an array", dict: "an object", bool: "a boolean"}
    return "null" if value is None else kinds.get(type(value), "a number")
