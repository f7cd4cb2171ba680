"""Answers cut from passages, checked against them, and merged."""

import pytest

from system.graph.records import Answer, AnswerType, Claim, Source
from system.models.extractive.answers import MERGED_SENTENCES, Similarity, answer, merge, verify
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.merge_answers import MergeAnswers
from system.strategies.steps.tasks.verify_answer import VerifyAnswer
from tests.helpers.bridge import BagOfWords, passage
from tests.helpers.submission_factories import answer as made

CLAIM = Claim(
    id=0, text="The Aster bridge opened in 1932.", date="3-5-2021", speaker="Mara Quill", reporting_source="Radio"
)
PASSAGE = passage("Weather was mild. The Aster bridge has 412 rivets. The Aster bridge has many rivets. Tea is served.")


@pytest.fixture
def similarity() -> Similarity:
    return Similarity(BagOfWords())


def answers(*texts: str) -> tuple[Answer, ...]:
    return tuple(made(text, cites=passage(text, page=page)) for page, text in enumerate(texts))


def test_the_answer_is_the_sentence_about_the_question(similarity: Similarity) -> None:
    reply = answer(AnswerQuestion(claim=CLAIM, question="Was weather mild?", passage=PASSAGE), similarity)
    assert (reply.answer, reply.type, reply.source) == ("Weather was mild.", AnswerType.EXTRACTIVE, Source.EVIDENCE)


def test_a_question_for_a_number_is_answered_with_one(similarity: Similarity) -> None:
    how_many = AnswerQuestion(claim=CLAIM, question="How many rivets has the Aster bridge?", passage=PASSAGE)
    assert answer(how_many, similarity).answer == "The Aster bridge has 412 rivets."


COMPANY = "Brevik makes saws. Its office is in Tromvik. Rain fell all week. Brevik employs 2,400 people."


def test_an_answer_includes_the_sentence_that_names_its_subject(similarity: Similarity) -> None:
    question = AnswerQuestion(claim=CLAIM, question="Is the office of Brevik in Halden?", passage=passage(COMPANY))
    assert answer(question, similarity).answer == "Brevik makes saws. Its office is in Tromvik."


def test_a_heading_names_a_subject_and_answers_nothing(similarity: Similarity) -> None:
    headed = passage("Brevik\n\n Its office is in Tromvik.")
    question = AnswerQuestion(claim=CLAIM, question="Is Brevik in Halden?", passage=headed)
    assert answer(question, similarity).answer == "Brevik\n\n Its office is in Tromvik."


def test_a_sentence_that_names_it_itself_comes_alone(similarity: Similarity) -> None:
    question = AnswerQuestion(claim=CLAIM, question="How many people does Brevik employ?", passage=passage(COMPANY))
    assert answer(question, similarity).answer == "Brevik employs 2,400 people."


def test_an_answer_does_not_span_half_a_page(similarity: Similarity) -> None:
    far = passage(f"Brevik makes saws. {'Rain fell again in the north of the country. ' * 8}Its office is in Tromvik.")
    question = AnswerQuestion(claim=CLAIM, question="Is the office of Brevik in Tromvik?", passage=far)
    assert answer(question, similarity).answer == "Its office is in Tromvik."


def test_a_passage_about_something_else_does_not_answer(similarity: Similarity) -> None:
    reply = answer(AnswerQuestion(claim=CLAIM, question="Who painted ceilings?", passage=PASSAGE), similarity)
    assert reply.type is AnswerType.UNANSWERABLE


def test_a_passage_in_another_language_does_not_answer(similarity: Similarity) -> None:
    german = passage("Die Brücke über die Aster wurde im Jahr 1932 für den Verkehr geöffnet, sagt die Stadt Halden.")
    question = AnswerQuestion(claim=CLAIM, question="Wurde die Brücke über die Aster 1932 geöffnet?", passage=german)
    assert answer(question, similarity).type is AnswerType.UNANSWERABLE


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the claim made?", "3-5-2021"),
        ("Who made this claim?", "Mara Quill"),
        ("Where was the claim first published?", "Radio"),
    ],
)
def test_questions_about_the_claim_read_its_metadata(question: str, expected: str, similarity: Similarity) -> None:
    reply = answer(AnswerQuestion(claim=CLAIM, question=question, passage=PASSAGE), similarity)
    assert (reply.answer, reply.source) == (expected, Source.METADATA)
    unknown = answer(AnswerQuestion(claim=Claim(id=1, text="X"), question=question, passage=PASSAGE), similarity)
    assert unknown.source is Source.EVIDENCE


@pytest.mark.parametrize(
    ("text", "question", "entailed"),
    [
        ("The Aster bridge has many rivets.", "Does the Aster bridge have rivets?", True),
        ("The Aster bridge has no rivets.", "Does the Aster bridge have rivets?", False),
        ("Tea is served.", "Does the Aster bridge have rivets?", False),
    ],
)
def test_an_answer_holds_if_said_and_about_the_question(
    text: str, question: str, entailed: bool, similarity: Similarity
) -> None:
    given = made(text, cites=PASSAGE)
    assert verify(VerifyAnswer(claim=CLAIM, question=question, answer=given), similarity).entailed is entailed


@pytest.mark.parametrize(("text", "entailed"), [("Mara Quill", True), ("Ann Lee", False)])
def test_an_answer_from_the_metadata_holds_if_they_say_so(text: str, entailed: bool, similarity: Similarity) -> None:
    given = made(text, Source.METADATA, PASSAGE)
    assert verify(VerifyAnswer(claim=CLAIM, question="Who?", answer=given), similarity).entailed is entailed


def test_merging_puts_the_best_first_and_leaves_repetitions_out(similarity: Similarity) -> None:
    given = answers(
        "Tolls are paid on the bridge.", "The bridge opened in 1932.", "The bridge opened in 1932", "It opened late."
    )
    task = MergeAnswers(claim=CLAIM, question="When was the bridge opened in 1932?", answers=given)
    reply = merge(task, similarity)
    assert reply.sources[0] == 2
    assert 3 not in reply.sources
    assert reply.answer == " ".join(given[number - 1].text for number in reply.sources)


def test_merging_stays_short(similarity: Similarity) -> None:
    given = answers(*(f"Word{i} other{i} thing{i}." for i in range(MERGED_SENTENCES + 4)))
    assert (
        len(merge(MergeAnswers(claim=CLAIM, question="What?", answers=given), similarity).sources) == MERGED_SENTENCES
    )
