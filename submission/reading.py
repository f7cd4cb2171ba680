"""Reading predictions of any system, gold labels, and claims, so that each prediction meets its own claim."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from submission.files import SubmissionError, read_json_array
from submission.scorer import Row, UnreadableEvidence, read_table, split_evidence
from submission.text import repair
from system.records import Label, Record

Pairs = tuple[tuple[str, str], ...]
"""Questions, each with an answer."""

UNANSWERED = "No answer could be found."
"""Stands in the gold file for a question without an answer."""


class Predicted(Record):
    """What a system says of a claim; its label is as the system spells it.

    Attributes:
        pairs: empty where the evidence cannot be read as pairs; ``validate`` says why.
    """

    claim_id: int
    claim: str
    label: str
    pairs: Pairs = ()


class Gold(Record):
    """What is true of a claim.

    Attributes:
        pairs: one for each answer: a question with two answers occurs twice.
        types: the claim's types in AVeriTeC, which a CSV does not have.
    """

    claim_id: int
    claim: str
    label: Label
    pairs: Pairs = ()
    types: tuple[str, ...] = ()


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
    """Read claims with labels, questions and answers.

    Args:
        path: a file in the AVeriTeC JSON form, where the index is the id, or the organisers' gold CSV.

    Raises:
        SubmissionError: the file cannot be read, or a claim has no valid label.
    """
    if path.suffix == ".csv":
        return [_gold_of_row(path, row) for row in read_table(path).rows]
    return [_gold(path, number, _entry(path, number, item)) for number, item in enumerate(read_json_array(path))]


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
    return Predicted(claim_id=claim_id, claim=claim, label=label, pairs=_pairs(entry.get("evidence")))


def _from_row(path: Path, row: Row) -> Predicted:
    return Predicted(claim_id=_id(path, row), claim=row.claim, label=row.label, pairs=_pairs_of_row(row))


def _id(path: Path, row: Row) -> int:
    if isinstance(row.id, str) or not row.id.is_integer():
        raise SubmissionError(f"{path}: {row.where}: 'id': expected a whole number, came {row.id!r}")
    return int(row.id)


def _pairs_of_row(row: Row) -> Pairs:
    try:
        return tuple(split_evidence(row.evidence))
    except UnreadableEvidence:
        return ()


def _pairs(evidence: object) -> Pairs:
    """The pairs of a prediction in JSON, none where any of them is no pair of texts."""
    pairs = []
    for item in evidence if isinstance(evidence, list) else []:
        question, answer = (item.get("question"), item.get("answer")) if isinstance(item, Mapping) else (None, None)
        if not (isinstance(question, str) and isinstance(answer, str)):
            return ()
        pairs.append((repair(question), repair(answer)))
    return tuple(pairs)


def _gold(path: Path, number: int, entry: Mapping[str, object]) -> Gold:
    questions, types = entry.get("questions"), entry.get("claim_types")
    if types is not None and not (isinstance(types, list) and all(isinstance(name, str) for name in types)):
        raise SubmissionError(f"{path}: claim {number}: 'claim_types': expected a list of texts, came {types!r:.60}")
    return Gold(
        claim_id=number,
        claim=_text(path, number, entry, "claim"),
        label=_label(f"{path}: claim {number}", entry.get("label")),
        pairs=tuple(_gold_pairs(path, number, questions if isinstance(questions, list) else [])),
        types=tuple(map(repair, types or ())),
    )


def _gold_of_row(path: Path, row: Row) -> Gold:
    label = _label(f"{path}: {row.where}", row.label)
    return Gold(claim_id=_id(path, row), claim=row.claim, label=label, pairs=_pairs_of_row(row))


def _label(where: str, label: object) -> Label:
    if label not in list(Label):
        expected = ", ".join(Label)
        raise SubmissionError(
            f"{where}: 'label': expected one of {expected}, came {label!r}; give a file with gold labels (train or dev)"
        )
    return Label(str(label))


def _gold_pairs(path: Path, number: int, questions: list[object]) -> Iterator[tuple[str, str]]:
    """A pair for each answer, as the organisers' gold CSV has it."""
    for item in questions:
        question = _entry(path, number, item)
        text, answers = _text(path, number, question, "question"), question.get("answers")
        for answer in answers if isinstance(answers, list) else []:
            yield text, _gold_answer(path, number, _entry(path, number, answer))
        if not answers:
            yield text, UNANSWERED


def _gold_answer(path: Path, number: int, answer: Mapping[str, object]) -> str:
    text = _text(path, number, answer, "answer")
    if answer.get("answer_type") == "Boolean" and "boolean_explanation" in answer:
        return f"{text}. {_text(path, number, answer, 'boolean_explanation')}"
    return text


def _text(path: Path, number: int, entry: Mapping[str, object], key: str) -> str:
    """A field's text, as UTF-8 can carry it: JSON may escape half of a surrogate pair, which nothing else can hold."""
    value = entry.get(key)
    if not isinstance(value, str):
        raise SubmissionError(f"{path}: entry {number}: {key!r}: expected a text, came {value!r:.60}")
    return repair(value)
