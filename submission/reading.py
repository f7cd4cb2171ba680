"""Reading predictions of any system, gold labels, and claims, so that each prediction meets its own claim."""

from collections.abc import Mapping
from pathlib import Path

from submission.files import SubmissionError, read_json_array
from submission.scorer import Row, read_table
from system.records import Label, Record


class Predicted(Record):
    """What a system says of a claim; its label is as the system spells it."""

    claim_id: int
    claim: str
    label: str


class Gold(Record):
    """What is true of a claim."""

    claim_id: int
    claim: str
    label: Label


def read_predictions(path: Path) -> list[Predicted]:
    """Read ``submission.json``, the organisers' JSON (the position is the id where none is given), or a CSV.

    Raises:
        SubmissionError: the file cannot be read, or an entry lacks what a prediction needs.
    """
    if path.suffix == ".json":
        entries = [_entry(path, number, item) for number, item in enumerate(read_json_array(path))]
        return [_predicted(path, number, entry) for number, entry in enumerate(entries)]
    return [_from_row(path, row) for row in read_table(path).rows]


def read_gold(path: Path) -> list[Gold]:
    """Read claims with labels in the AVeriTeC form; the index is the id.

    Raises:
        SubmissionError: the file cannot be read, or a claim has no valid label.
    """
    gold = []
    for number, item in enumerate(read_json_array(path)):
        entry = _entry(path, number, item)
        label = entry.get("label")
        if label not in list(Label):
            expected = ", ".join(Label)
            raise SubmissionError(
                f"{path}: claim {number}: 'label': expected one of {expected}, came {label!r}; "
                "give a file with gold labels (train or dev)"
            )
        gold.append(Gold(claim_id=number, claim=_text(path, number, entry, "claim"), label=Label(str(label))))
    return gold


def read_claims(path: Path) -> list[str]:
    """The texts of all claims, by id: of a claims file in the AVeriTeC form, or of a gold or submission CSV.

    Raises:
        SubmissionError: the file cannot be read.
    """
    if path.suffix != ".csv":
        items = enumerate(read_json_array(path))
        return [_text(path, number, _entry(path, number, item), "claim") for number, item in items]
    return [row.claim for row in read_table(path).rows]


def _entry(path: Path, number: int, item: object) -> Mapping[str, object]:
    if not isinstance(item, Mapping):
        raise SubmissionError(f"{path}: entry {number}: expected an object, came {item!r:.60}")
    return item


def _predicted(path: Path, number: int, entry: Mapping[str, object]) -> Predicted:
    claim_id = entry.get("claim_id", number)
    if not isinstance(claim_id, int):
        raise SubmissionError(f"{path}: entry {number}: 'claim_id': expected a whole number, came {claim_id!r:.60}")
    claim, label = _text(path, number, entry, "claim"), _text(path, number, entry, "pred_label")
    return Predicted(claim_id=claim_id, claim=claim, label=label)


def _from_row(path: Path, row: Row) -> Predicted:
    if isinstance(row.id, str) or not row.id.is_integer():
        raise SubmissionError(f"{path}: {row.where}: 'id': expected a whole number, came {row.id!r}")
    return Predicted(claim_id=int(row.id), claim=row.claim, label=row.label)


def _text(path: Path, number: int, entry: Mapping[str, object], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise SubmissionError(f"{path}: entry {number}: {key!r}: expected a text, came {value!r:.60}")
    return value
