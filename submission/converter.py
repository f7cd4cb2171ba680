"""What the organisers' converter (``prepare_leaderboard_submission.py``) makes of a predictions file in JSON.

It numbers the entries by position, whatever their ``claim_id``, and takes claim, pred_label, and the question and
answer of each pair of evidence; where one of them is missing or is no text it stops.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from submission.faults import Effect, Fault
from submission.files import read_json_array
from submission.scorer import Row, join_evidence


class Unconvertible(ValueError):
    """An entry at which the converter stops; the message says why."""


def convert(path: Path) -> tuple[list[Row], list[Fault]]:
    """The rows of the CSV that the converter would write, and the faults of the entries on the way.

    Raises:
        SubmissionError: the file holds no JSON array.
    """
    rows: list[Row] = []
    faults: list[Fault] = []
    for number, entry in enumerate(read_json_array(path)):
        try:
            rows.append(_row(number, entry))
            faults += _claim_id(number, entry)
        except Unconvertible as error:
            faults.append(Fault(f"entry {number}", f"{error}; the organisers' converter stops", Effect.CRASH))
    return rows, faults


def _row(number: int, entry: object) -> Row:
    if not isinstance(entry, Mapping):
        raise Unconvertible(f"expected an object, came {entry!r:.60}")
    evidence = entry.get("evidence")
    if not isinstance(evidence, list):
        raise Unconvertible(f"'evidence': expected an array of pairs, came {evidence!r:.60}")
    pairs = [(_text(pair, "question"), _text(pair, "answer")) for pair in evidence]
    claim, label = _text(entry, "claim"), _text(entry, "pred_label")
    return Row(f"entry {number}", float(number), claim, join_evidence(pairs), label)


def _text(holder: object, key: str) -> str:
    if not isinstance(holder, Mapping):
        raise Unconvertible(f"expected an object with {key!r}, came {holder!r:.60}")
    value = holder.get(key)
    if not isinstance(value, str):
        raise Unconvertible(f"{key!r}: expected a text, came {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unconvertible(f"{key!r}: {value!a:.60} holds a lone surrogate, which no file can hold") from None
    return value


def _claim_id(number: int, entry: object) -> Iterator[Fault]:
    claim_id = entry.get("claim_id", number) if isinstance(entry, Mapping) else number
    if claim_id != number:
        message = f"has claim_id {claim_id!r}, but stands at position {number} and is scored against claim {number}"
        yield Fault(f"entry {number}", message, Effect.WRONG)
