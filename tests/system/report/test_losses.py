"""How far gold evidence came, counted per claim and per answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.pages.filters import page_key
from system.averitec.gold import GoldAnswer, GoldClaim, GoldQuestion
from system.graph.records import AnswerType, Claim, Label
from system.report.losses import ClaimReach, Reach, as_text, losses, reach
from tests.helpers.report_factories import BLOG, CHUNK, DOUBT, HISTORY, TEXT


def gold_of(*answers: GoldAnswer) -> GoldClaim:
    question = GoldQuestion(text="When was it opened?", answers=answers)
    return GoldClaim(claim=Claim(id=0, text=TEXT), label=Label.SUPPORTED, questions=(question,))


def answer(text, url="", kind=AnswerType.EXTRACTIVE):
    return GoldAnswer(question="When was it opened?", place=0, text=text, type=kind, url=url)


GOLD = gold_of(
    answer("In 1932", f"https://web.archive.org/web/2020/{HISTORY}/"),
    answer("No answer could be found.", kind=AnswerType.UNANSWERABLE),
)
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
    gold = gold_of(answer(text, "https://gone.example"))
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


PAGE = "https://www.example.org/news/aster"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/news/aster/",
        "HTTPS://Example.org:443/news/aster#top",
        "https://web.archive.org/web/20201129141238/https://example.org/news/aster",
        "https://web.archive.org/web/20201129141238id_/http://www.example.org:80/news/aster/",
        "example.org/news/aster",
    ],
)
def test_addresses_of_one_page_have_one_key(url):
    assert page_key(url) == page_key(PAGE)


@pytest.mark.parametrize("url", ["https://example.org/news", f"{PAGE}?id=2", "https://other.org/news/aster", ""])
def test_other_pages_have_other_keys(url):
    assert page_key(url) != page_key(PAGE)


@given(st.text())
def test_any_text_has_a_key(url):
    assert page_key(page_key(url)) is not None


def test_a_key_survives_brackets_that_enclose_nothing():
    assert page_key("http://[broken") == "http://[broken"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Foot passengers carried by ferry, January to December: 1,043,612", True),
        ("The ferry carried many passengers", False),  # too few of the words
    ],
)
def test_mostly_equal_words_say_the_same(text, found):
    ferry = as_text("", "The ferry carried 1,043,612 foot passengers between January and December")
    assert ferry.found_in(as_text("", text)) is found


def test_an_answer_of_few_words_is_matched_only_by_its_page():
    yes = as_text("", "Yes, in 1932")
    assert not yes.found_in(yes)
