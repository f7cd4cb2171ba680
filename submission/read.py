"""Read predictions of any system, gold labels and claims, and pair each prediction with the gold of its own claim."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from submission.files import SubmissionError, read_json, read_text, same_text
from submission.official import Row, UnreadableEvidence, read_table, split_evidence
from system.averitec.claims import read_claims
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import NO_ANSWER, Label, Record, explain
from system.report.claims import Entry, EvidencePair

Pairs = tuple[tuple[str, str], ...]
"""Questions, each with an answer."""


class Gold(Record):
    """The gold side of a claim; a question with two answers makes two pairs."""

    claim_id: int
    claim: str
    label: Label
    pairs: Pairs = ()


def read_predictions(path: Path) -> list[Entry]:
    """Read ``submission.json``, the organizers' JSON (the position is the id if none is given), or a CSV."""
    if path.suffix == ".json":
        found = [_entry(f"{path}: entry {number}", number, item) for number, item in enumerate(read_json(path, list))]
    else:
        found = [
            Entry(
                claim_id=_id(path, row),
                claim=row.claim,
                label=row.label,
                pairs=tuple(EvidencePair(question=question, answer=answer) for question, answer in _pairs_of_row(row)),
            )
            for row in read_table(path)
        ]
    if twice := [claim_id for claim_id, count in Counter(one.claim_id for one in found).items() if count > 1]:
        raise SubmissionError(f"{path}: claim {twice[0]} has two predictions, expected one; remove one of them")
    return found


def read_scored_gold(path: Path) -> list[Gold]:
    """Read annotated claims: a file in the AVeriTeC JSON form, whose index is the id, or the organizers' gold CSV."""
    if path.suffix == ".csv":
        return [_gold_of_row(path, row) for row in read_table(path)]
    return scored(read_gold(path))


def scored(annotations: Sequence[GoldClaim]) -> list[Gold]:
    """Turn annotated claims into the gold side of scores, with a pair for each answer as in the gold CSV."""
    return [
        Gold(
            claim_id=one.claim.id,
            claim=one.claim.text,
            label=one.label,
            pairs=tuple(
                (question.text, answer)
                for question in one.questions
                for answer in [answer.full for answer in question.answers] or [NO_ANSWER]
            ),
        )
        for one in annotations
    ]


def claim_texts(path: Path) -> list[str]:
    """Return the texts of all claims of a file in any form that a run reads, or of a gold or submission CSV."""
    if path.suffix == ".csv" and "evi" in read_text(path).partition("\n")[0].strip().split(","):
        return [row.claim for row in read_table(path)]
    return [claim.text for claim in read_claims(path)]


def setup_of(predictions: Path) -> Mapping[str, Any]:
    """Return the ``run.json`` beside predictions, empty if there is none."""
    setup = predictions.parent / "run.json"
    return read_json(setup, dict) if setup.is_file() else {}


def has_two_labels(setup: Mapping[str, Any]) -> bool:
    """Return whether a ``run.json`` says that the run concluded with two labels."""
    return bool(setup.get("settings", {}).get("graph", {}).get("two_labels"))


def _entry(where: str, number: int, item: object) -> Entry:
    try:
        return Entry.model_validate({"claim_id": number, **item} if isinstance(item, Mapping) else item)
    except ValidationError as error:
        raise SubmissionError(f"{where}: {explain(error.errors()[0], 'the entry')}") from error


def _id(path: Path, row: Row) -> int:
    if isinstance(row.id, str) or not row.id.is_integer():
        raise SubmissionError(f"{path}: {row.where}: 'id': expected an integer, got {row.id!r}")
    return int(row.id)


def _pairs_of_row(row: Row) -> Pairs:
    try:
        return tuple(split_evidence(row.evidence))
    except UnreadableEvidence:
        return ()


def _gold_of_row(path: Path, row: Row) -> Gold:
    if row.label not in list(Label):
        raise SubmissionError(
            f"{path}: {row.where}: 'label': expected one of {', '.join(Label)}, got {row.label!r}; "
            "give a file with gold labels (train or dev)"
        )
    return Gold(claim_id=_id(path, row), claim=row.claim, label=Label(row.label), pairs=_pairs_of_row(row))


@dataclass(frozen=True)
class Pair:
    """A prediction with the gold side of the same claim."""

    predicted: Entry
    gold: Gold

    @property
    def of_two(self) -> "Pair":
        """The pair with two labels: what is not Supported is Refuted; an invalid prediction stays invalid."""
        label = self.predicted.label
        label = Label(label).of_two if label in set(Label) else label
        return Pair(
            self.predicted.model_copy(update={"label": label}),
            self.gold.model_copy(update={"label": self.gold.label.of_two}),
        )


@dataclass(frozen=True)
class Pairing:
    """All predictions and all gold claims, in the order of the claims."""

    gold: Sequence[Gold]
    two_labels: bool  #: whether the labels of both sides are folded into two, see ``Pair.of_two``
    pairs: tuple[Pair, ...]  #: same id, same text; only these are scored
    mismatched: tuple[Pair, ...]  #: same id, other text
    missing: tuple[Gold, ...]  #: gold claims without a prediction
    extra: tuple[Entry, ...]  #: predictions whose id no gold claim has


def pair(predicted: Sequence[Entry], gold: Sequence[Gold], *, two_labels: bool = False) -> Pairing:
    """Pair predictions with gold."""
    by_id = {one.claim_id: one for one in predicted}
    met = [Pair(by_id[claim.claim_id], claim) for claim in gold if claim.claim_id in by_id]
    same = [one for one in met if same_text(one.predicted.claim, one.gold.claim)]
    if not same:
        raise SubmissionError(
            f"none of {len(predicted)} predictions matches one of {len(gold)} gold claims by id and text; "
            "give the gold file of the same split, and submission.json if only a part of the split was run"
        )
    gold_ids = {claim.claim_id for claim in gold}
    return Pairing(
        gold=gold,
        two_labels=two_labels,
        pairs=tuple(one.of_two if two_labels else one for one in same),
        mismatched=tuple(one for one in met if not same_text(one.predicted.claim, one.gold.claim)),
        missing=tuple(claim for claim in gold if claim.claim_id not in by_id),
        extra=tuple(one for number, one in sorted(by_id.items()) if number not in gold_ids),
    )


def read_pairing(predictions: Path, gold: Path, *, two_labels: bool | None = None) -> Pairing:
    """Pair the predictions of a file with gold, by default with two labels if their run had two."""
    two_labels = has_two_labels(setup_of(predictions)) if two_labels is None else two_labels
    return pair(read_predictions(predictions), read_scored_gold(gold), two_labels=two_labels)
