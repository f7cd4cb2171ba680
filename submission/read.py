"""Predictions of any system, gold labels and claims, read and paired so that each prediction meets its own claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from submission.files import SubmissionError, read_json_array, read_object, read_text, repair, same_text
from submission.official import Row, UnreadableEvidence, read_table, split_evidence
from system.averitec import claims, gold
from system.averitec.claims import ClaimsError
from system.averitec.gold import GoldClaim
from system.graph.records import NO_ANSWER, Label, Record

Pairs = tuple[tuple[str, str], ...]
"""Questions, each with an answer."""


class Predicted(Record):
    """A system's prediction for a claim; its label keeps the system's spelling.

    Attributes:
        pairs: empty where the evidence cannot be read as pairs; ``validate`` says why.
    """

    claim_id: int
    claim: str
    label: str
    pairs: Pairs = ()


class Gold(Record):
    """The gold side of a claim.

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
    """Read ``submission.json``, the organizers' JSON (the position is the id where none is given), or a CSV.

    Raises:
        SubmissionError: the file cannot be read, or an entry lacks what a prediction needs.
    """
    if path.suffix == ".json":
        entries = [_entry(path, number, item) for number, item in enumerate(read_json_array(path))]
        return [_predicted(path, number, entry) for number, entry in enumerate(entries)]
    return [
        Predicted(claim_id=_id(path, row), claim=row.claim, label=row.label, pairs=_pairs_of_row(row))
        for row in read_table(path).rows
    ]


def read_scored_gold(path: Path) -> list[Gold]:
    """Read claims with labels, questions and answers.

    Args:
        path: a file in the AVeriTeC JSON form, where the index is the id, or the organizers' gold CSV.

    Raises:
        SubmissionError: the file cannot be read, or a claim has no valid label.
    """
    if path.suffix == ".csv":
        return [_gold_of_row(path, row) for row in read_table(path).rows]
    return scored(read_annotations(path))


def read_annotations(path: Path) -> list[GoldClaim]:
    """Read an annotated split; the index is the claim's id.

    Raises:
        SubmissionError: the file cannot be read, or a claim is not annotated.
    """
    try:
        return gold.read_gold(path)
    except ClaimsError as error:
        raise SubmissionError(str(error)) from error


def annotations_if_any(path: Path) -> list[GoldClaim]:
    """The annotations of a file of claims; none where it is not a split with gold labels."""
    try:
        return read_annotations(path)
    except SubmissionError:  # which is the answer here: claims need no labels, and may come as lines or as plain text
        return []


def scored(annotations: Sequence[GoldClaim]) -> list[Gold]:
    """Turn annotated claims into the gold side of scores."""
    return [_gold(one) for one in annotations]


def claim_texts(path: Path) -> list[str]:
    """The texts of all claims, in their order: of a file in any form that a run reads, or of a gold or submission CSV.

    Raises:
        SubmissionError: the file cannot be read.
    """
    if path.suffix == ".csv" and "evi" in read_text(path).partition("\n")[0].strip().split(","):
        return [row.claim for row in read_table(path).rows]
    try:
        return [claim.text for claim in claims.read_claims(path)]
    except ClaimsError as error:
        raise SubmissionError(str(error)) from error


def of_two_labels(setup: Mapping[str, Any]) -> bool:
    """Whether a run's ``run.json`` says that it concluded with two labels."""
    return bool(setup.get("settings", {}).get("graph", {}).get("two_labels"))


def predicts_two_labels(predictions: Path) -> bool:
    """Whether predictions lie beside the ``run.json`` of a run that concluded with two labels.

    Raises:
        SubmissionError: that file is damaged.
    """
    setup = predictions.parent / "run.json"
    return setup.is_file() and of_two_labels(read_object(setup))


def _entry(path: Path, number: int, item: object) -> Mapping[str, object]:
    if not isinstance(item, Mapping):
        raise SubmissionError(f"{path}: entry {number}: expected an object, got {item!r:.60}")
    return item


def _predicted(path: Path, number: int, entry: Mapping[str, object]) -> Predicted:
    claim_id = entry.get("claim_id", number)
    if not isinstance(claim_id, int):
        raise SubmissionError(f"{path}: entry {number}: 'claim_id': expected an integer, got {claim_id!r:.60}")
    claim, label = _text(path, number, entry, "claim"), _text(path, number, entry, "pred_label")
    return Predicted(claim_id=claim_id, claim=claim, label=label, pairs=_pairs(entry.get("evidence")))


def _id(path: Path, row: Row) -> int:
    if isinstance(row.id, str) or not row.id.is_integer():
        raise SubmissionError(f"{path}: {row.where}: 'id': expected an integer, got {row.id!r}")
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


def _gold(one: GoldClaim) -> Gold:
    """The scored side of an annotation: a pair for each answer, as the organizers' gold CSV has it."""
    answers = ((question.text, [answer.full for answer in question.answers]) for question in one.questions)
    pairs = ((question, answer) for question, found in answers for answer in found or [NO_ANSWER])
    return Gold(claim_id=one.claim.id, claim=one.claim.text, label=one.label, pairs=tuple(pairs), types=one.types)


def _gold_of_row(path: Path, row: Row) -> Gold:
    if row.label not in list(Label):
        raise SubmissionError(
            f"{path}: {row.where}: 'label': expected one of {', '.join(Label)}, got {row.label!r}; "
            "give a file with gold labels (train or dev)"
        )
    return Gold(claim_id=_id(path, row), claim=row.claim, label=Label(row.label), pairs=_pairs_of_row(row))


def _text(path: Path, number: int, entry: Mapping[str, object], key: str) -> str:
    """A field's text, as UTF-8 can carry it: JSON may escape half of a surrogate pair, which nothing else can hold."""
    value = entry.get(key)
    if not isinstance(value, str):
        raise SubmissionError(f"{path}: entry {number}: {key!r}: expected a string, got {value!r:.60}")
    return repair(value)


@dataclass(frozen=True)
class Pair:
    """A prediction with the gold side of the same claim."""

    predicted: Predicted
    gold: Gold


@dataclass(frozen=True)
class Pairing:
    """All predictions and all gold claims, in the order of the claims.

    Attributes:
        pairs: same id, same text; only these are scored.
        mismatched: same id, other text.
        missing: gold claims without a prediction.
        extra: predictions whose id no gold claim has.
    """

    pairs: tuple[Pair, ...]
    mismatched: tuple[Pair, ...]
    missing: tuple[Gold, ...]
    extra: tuple[Predicted, ...]


def pair(predicted: Sequence[Predicted], gold: Sequence[Gold]) -> Pairing:
    """Pair predictions with gold.

    Raises:
        SubmissionError: two predictions have one id, or not a single pair agrees in id and text.
    """
    by_id: dict[int, Predicted] = {}
    for one in predicted:
        if by_id.setdefault(one.claim_id, one) is not one:
            raise SubmissionError(f"claim {one.claim_id} has two predictions, expected one; remove one of them")
    met = [Pair(by_id[claim.claim_id], claim) for claim in gold if claim.claim_id in by_id]
    same = tuple(one for one in met if same_text(one.predicted.claim, one.gold.claim))
    if not same:
        raise SubmissionError(
            f"none of {len(predicted)} predictions matches one of {len(gold)} gold claims by id and text; "
            "give the gold file of the same split, and submission.json if only a part of the split was run"
        )
    gold_ids = {claim.claim_id for claim in gold}
    return Pairing(
        pairs=same,
        mismatched=tuple(one for one in met if not same_text(one.predicted.claim, one.gold.claim)),
        missing=tuple(claim for claim in gold if claim.claim_id not in by_id),
        extra=tuple(one for number, one in sorted(by_id.items()) if number not in gold_ids),
    )
