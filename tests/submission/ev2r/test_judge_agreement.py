from scripts.judge_agreement import agreement, comparison, read_or_none
from submission.ev2r.replies import Mode

RECORDED = {
    "claim": "The bridge opened in 1932.",
    "evidence": "Question: When did it open?\nAnswer: In May 1932.\n\nQuestion: Where is it?\nAnswer: In Aster.\n",
    "response": {"facts in predicted evidence": "1. It opened in 1931. 2. It has 2 lanes.", "precision": 0.5},
}


def test_rebuilds_both_sides_of_a_recorded_comparison() -> None:
    rebuilt = comparison(3, RECORDED)
    assert rebuilt.gold == (("When did it open?", "In May 1932."), ("Where is it?", "In Aster."))
    assert [fact for _, fact in rebuilt.predicted] == ["It opened in 1931.", "It has 2 lanes."]


def test_tells_an_unreadable_reply_from_a_constant_one() -> None:
    assert read_or_none("Supported.", Mode.STRICT) is None
    assert agreement([(0.0, 1.0), (1.0, 1.0)]) == "no correlation: all values here are 1.00"
    assert agreement([]) == "no values"
    assert agreement([(0.0, 1.0), (1.0, 0.0)]).startswith("Pearson -1.00")
