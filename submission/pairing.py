"""Predictions met with gold by claim id and text, so that no shifted file can be scored against its neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

from submission.files import SubmissionError
from submission.reading import Gold, Predicted
from submission.text import same_text


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
            f"none of {len(predicted)} predictions has the id and the text of one of {len(gold)} gold claims; "
            "name the gold file of the same split, and submission.json where only a part of it was run"
        )
    gold_ids = {claim.claim_id for claim in gold}
    return Pairing(
        pairs=same,
        mismatched=tuple(one for one in met if not same_text(one.predicted.claim, one.gold.claim)),
        missing=tuple(claim for claim in gold if claim.claim_id not in by_id),
        extra=tuple(one for number, one in sorted(by_id.items()) if number not in gold_ids),
    )
