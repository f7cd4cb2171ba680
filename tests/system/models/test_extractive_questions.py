"""Questions formed from a claim, its metadata, the leading passages and the branch so far."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from system.graph.records import Claim, QuestionAnswer
from system.models.extractive.questions import ask, core, follow_ups, openers
from system.strategies.steps.tasks.ask_question import AskQuestion
from system.text.words import content_stems
from tests.helpers.bridge import CLAIM


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("The Aster bridge opened in 1932.", "Did the Aster bridge open in 1932?"),
        (
            "“In 2017, the bank recorded an inflow of R17 billion.”",
            "Did the bank record an inflow of R17 billion in 2017?",
        ),
        ("Wow! Nobody in this town pays any taxes at all.", "Does nobody in this town pay any taxes at all?"),
        ("BREAKING NEWS", "Is it true that BREAKING NEWS?"),
    ],
)
def test_the_first_question_asks_whether_the_core_is_so(text: str, first: str) -> None:
    assert openers(Claim(id=0, text=text))[0] == first


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Over 700,000 children attended school last year.", "How many children attended school last year?"),
        ("The sector employs 14.9 million Kenyans.", "How many Kenyans does the sector employ?"),
        ("Ireland's debt was 856 billion euros in 2019.", "What was Ireland's debt in 2019?"),
        ("25% of drivers in Leeds are women.", "What percentage of drivers in Leeds are women?"),
        ("HS2 will cost £150 billion.", "How much will HS2 cost?"),
    ],
)
def test_a_figure_is_asked_for(text: str, question: str) -> None:
    assert question in openers(Claim(id=0, text=text))


def test_years_and_durations_are_not_asked_for() -> None:
    asked = openers(Claim(id=0, text="The mayor was in office for 12 years until 2019."))
    assert not any(question.startswith("How") for question in asked)


def test_the_second_half_of_a_claim_is_asked_on_its_own() -> None:
    claim = Claim(id=0, text="The mayor voted for the tunnel and opposed the bridge.")
    assert "Did the mayor oppose the bridge?" in openers(claim)


def test_speaker_and_date_give_questions_of_provenance() -> None:
    asked = openers(CLAIM)
    assert "What did Mara Quill say about the Aster bridge?" in asked
    assert asked[-1] == "When was the claim made?"
    assert "When was the claim made?" not in openers(Claim(id=0, text=CLAIM.text))


def test_indices_give_questions_in_turn() -> None:
    count = len(openers(CLAIM))
    asked = [ask(AskQuestion(claim=CLAIM, context=(), index=i)) for i in range(count + 1)]
    assert len(set(asked)) == count
    assert asked[count] == asked[0]


def test_a_branch_never_asks_what_it_asked_before() -> None:
    for start in range(3):
        context = [QuestionAnswer.unanswered(openers(CLAIM)[start])]
        for _ in range(5):
            question = ask(AskQuestion(claim=CLAIM, context=tuple(context), index=0))
            assert content_stems(question) not in [content_stems(pair.question) for pair in context]
            context.append(QuestionAnswer.unanswered(question))


def test_branches_continue_with_different_questions() -> None:
    claim = Claim(id=0, text="The mayor of Leeds sold the old mill to a Swiss bank in secret.", speaker="Mara Quill")
    first = openers(claim)[:3]
    later = [
        ask(AskQuestion(claim=claim, context=(QuestionAnswer.unanswered(question),), index=0)) for question in first
    ]
    assert len(set(later)) == 3


def test_what_the_answers_leave_open_is_asked_first() -> None:
    claim = Claim(id=0, text="The mayor sold the mill to a Swiss bank.")
    said = QuestionAnswer(question="Who sold?", answer="The mayor sold a mill.", answers=())
    assert "Swiss bank" in follow_ups(claim, (said,))[0]


@settings(deadline=None)
@given(st.text(max_size=150), st.integers(0, 9), st.booleans())
def test_any_claim_gives_a_question(text: str, index: int, later: bool) -> None:
    claim = Claim.model_validate({"text": text})
    context = (QuestionAnswer.unanswered("Is it so?"),) if later else ()
    question = ask(AskQuestion(claim=claim, context=context, index=index))
    assert question.endswith("?")
    assert len(question) > 1


def test_the_core_is_the_claims_sentence_unwrapped() -> None:
    assert core("  “The  [new] law passed\nin May.”") == "The new law passed in May"


def test_a_branch_that_has_asked_everything_asks_again() -> None:
    claim = Claim(id=0, text="The Aster bridge opened in 1932.")
    every = follow_ups(claim, [QuestionAnswer.unanswered("When?")])
    context = tuple(QuestionAnswer.unanswered(question) for question in ("When?", *every))
    assert ask(AskQuestion(claim=claim, context=context, index=10)) in every
