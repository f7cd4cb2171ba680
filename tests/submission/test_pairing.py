import pytest

from submission.files import SubmissionError
from submission.pairing import pair
from submission.reading import Gold, Predicted
from system.records import Label


def _predicted(claim_id: int, claim: str) -> Predicted:
    return Predicted(claim_id=claim_id, claim=claim, label="Refuted")


GOLD = [
    Gold(claim_id=n, claim=text, label=Label.REFUTED) for n, text in enumerate(["Same.", "Same.", "Other.", "Last."])
]


def test_pairs_agree_in_id_and_text_whatever_the_order() -> None:
    pairing = pair([_predicted(9, "Nowhere."), _predicted(2, "Shifted."), _predicted(1, " Same.\n")], GOLD)
    assert [(one.predicted.claim_id, one.gold.claim_id) for one in pairing.pairs] == [(1, 1)]
    assert [one.gold.claim_id for one in pairing.mismatched] == [2]
    assert [claim.claim_id for claim in pairing.missing] == [0, 3]
    assert [one.claim_id for one in pairing.extra] == [9]


def test_two_predictions_of_one_claim_are_refused() -> None:
    with pytest.raises(SubmissionError, match="claim 1 has two predictions"):
        pair([_predicted(1, "Same."), _predicted(1, "Same.")], GOLD)


def test_files_that_share_no_claim_are_refused() -> None:
    with pytest.raises(SubmissionError, match="none of 1 predictions has the id and the text of one of 4 gold claims"):
        pair([_predicted(0, "Shifted.")], GOLD)
