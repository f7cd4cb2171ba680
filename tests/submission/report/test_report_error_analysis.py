"""How far gold evidence came, counted per claim and per answer."""

import pytest
from report_factories import BLOG, CHUNK, DOUBT, HISTORY, gold_item

from submission.report.annotation import GoldClaim
from submission.report.error_analysis import ClaimReach, Reach, as_text, losses, reach
from system.records import Label

GOLD = GoldClaim.model_validate(gold_item())
THERE, ELSEWHERE = as_text(HISTORY, CHUNK), as_text(BLOG, DOUBT)


@pytest.mark.parametrize(
    ("retrieved", "used", "expected"),
    [
        ([ELSEWHERE], [ELSEWHERE], Reach.LOST),
        ([ELSEWHERE, THERE], [ELSEWHERE], Reach.UNUSED),
        ([THERE], [THERE], Reach.USED),
        ([], [THERE], Reach.USED),
    ],
)
def test_evidence_is_lost_unused_or_used(retrieved, used, expected):
    assert reach(GOLD, retrieved, used) == (expected, Reach.NOTHING)


def test_the_same_words_on_another_page_count_too():
    text = "The bridge over the river Aster carried its first lorries in May 1932"
    answer = {"answer": text, "answer_type": "Extractive", "source_url": "https://gone.example"}
    gold = GoldClaim.model_validate(gold_item(questions=[{"question": "When?", "answers": [answer]}]))
    assert reach(gold, [as_text(BLOG, f"They say: {text.lower()}!")], []) == (Reach.UNUSED,)


def claim(number, *answers, gold=Label.REFUTED, right=False, types=("Numerical Claim",)):
    return ClaimReach(claim_id=number, gold=gold, types=types, right=right, answers=answers)


def test_a_claim_counts_by_the_farthest_of_its_evidence():
    assert claim(0, Reach.LOST, Reach.USED, Reach.UNUSED).reach is Reach.USED
    assert claim(0, Reach.NOTHING, Reach.LOST).reach is Reach.LOST
    assert claim(0).reach is Reach.NOTHING


def test_losses_count_claims_and_answers_by_label_and_type():
    claims = [
        claim(0, Reach.LOST, Reach.NOTHING),
        claim(1, Reach.USED, Reach.LOST, right=True),
        claim(2, Reach.UNUSED, gold=Label.SUPPORTED, types=("Numerical Claim", "Quote Verification")),
        claim(3, gold=Label.SUPPORTED, types=()),
    ]
    counted = losses(claims)
    (whole,) = counted["all claims"]
    assert whole.wrong == {Reach.NOTHING: 1, Reach.LOST: 1, Reach.UNUSED: 1, Reach.USED: 0}
    assert whole.right[Reach.USED] == 1
    assert whole.answers == {Reach.NOTHING: 0, Reach.LOST: 2, Reach.UNUSED: 1, Reach.USED: 1}
    assert [line.claims for line in counted["label"]] == [2, 2, 0, 0]
    assert {line.group: line.claims for line in counted["type"]} == {
        "Numerical Claim": 3,
        "Quote Verification": 1,
        "no type given": 1,
    }
