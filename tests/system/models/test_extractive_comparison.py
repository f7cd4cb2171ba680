"""Claims beside the sentences of documents: what says the same, what says otherwise, and what says neither."""

from collections import Counter

import pytest
from bridge import passage

from knowledge_store.pages.documents import sentences_of
from scripts.contradictions import EXPECTED, cases
from system.models.extractive.comparison import judge_directly
from system.records import Answer, AnswerType, Claim, Label, QuestionAnswer, Source

BRIDGE = "The Aster bridge was opened to traffic in May 1932 by Mara Quill. It has 412 rivets and is closed to lorries."


def judged(claim: str, *texts: str) -> tuple[Label, str]:
    answers = tuple(
        Answer(text=text[:40], type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=passage(text, page=page))
        for page, text in enumerate(texts)
    )
    pair = QuestionAnswer(question="What is known?", answer="-", answers=answers)
    reply, confidence = judge_directly(Claim(id=0, text=claim), [pair])
    assert 0 < confidence < 1
    return reply.label, reply.justification


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The Aster bridge was opened to traffic in 1931.", "The claim says 1931, a document 1932"),
        ("The Aster bridge was opened to traffic in June 1932.", "The claim says June, a document May"),
        ("The Aster bridge has 300 rivets.", "The claim says 300, a document 412"),
        ("The Aster bridge was opened by Jon Hale.", "The claim says Jon Hale, a document Mara Quill"),
        ("The Aster bridge was not opened to traffic.", "The claim says that it is not, a document that it is so"),
        ("The Aster bridge is open to lorries.", "The claim says open, a document closed"),
    ],
)
def test_a_sentence_that_differs_in_one_thing_refutes(claim, reason):
    label, said = judged(claim, BRIDGE)
    assert label is Label.REFUTED
    assert said.startswith(f"{reason}: “")


def test_closed_contradicts_may_cross():
    claim, text = (
        "Lorries may cross the old bridge over the Aster.",
        "The old bridge over the Aster is closed to lorries.",
    )
    assert judged(claim, text) == (
        Label.REFUTED,
        f"The claim says that it is so, a document that it is not: “{text}”",
    )


def test_a_reversed_comparison_refutes():
    assert judged("Sales of Brevik fell in 2022.", "Sales of Brevik rose in 2022.")[0] is Label.REFUTED


@pytest.mark.parametrize(
    "claim",
    [
        "The Aster bridge opened in 1932.",
        "The Aster has 412 rivets.",
        "In May 1932 the Aster bridge was opened to traffic.",
    ],
)
def test_a_sentence_that_says_the_same_supports(claim):
    label, said = judged(claim, BRIDGE)
    assert label is Label.SUPPORTED
    assert said.startswith("A document says so: “")


def test_words_of_one_root_or_with_the_same_opposite_say_the_same():
    text = "Brevik employs 2,400 people. Sales of Brevik fell in 2022."
    assert judged("Sales of Brevik dropped in 2022.", text)[0] is Label.SUPPORTED
    assert judged("Brevik has 2,400 employees.", text)[0] is Label.SUPPORTED


def test_a_not_in_another_clause_denies_nothing():
    text = "The European agency approved Relvex in May 2021, but Canada has not approved it yet."
    assert judged("The European agency approved Relvex in 2021.", text)[0] is Label.SUPPORTED
    assert judged("Relvex has been approved in Canada.", text)[0] is Label.REFUTED
    assert judged("Relvex has not been approved by the European agency.", text)[0] is Label.REFUTED


def test_a_firm_named_earlier_stays_the_subject():
    text = "Brevik is in Tromvik. The firm was founded in 1945."
    assert judged("Brevik was founded in 1954.", text)[0] is Label.REFUTED


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The Aster bridge was designed in Denmark.", BRIDGE),
        ("Sales of Brevik were higher in 2022 than in 2021.", "Sales of Brevik were 5 million in 2022 and 4 in 2021."),
        ("United beat Rovers in 2022.", "Rovers beat United in 2022."),
        ("All pupils of Fenton passed the test.", "214 pupils of Fenton took the test."),
        ("Bicycles are banned from the Aster tunnel.", "Bicycles are not allowed in the Aster tunnel."),
        ("All cars use the Aster tunnel.", "Some 900 cars use the Aster tunnel."),
        ("Some 900 cars used the ferry in 2018.", "Only 400 cars used the ferry in 2020."),
        ("More than 40 people live in Aster.", "Aster is a village where 43 people live."),
    ],
)
def test_what_a_sentence_does_not_say_stays_open(claim, text):
    assert judged(claim, text)[0] is Label.NOT_ENOUGH_EVIDENCE


def test_does_not_quote_sentences_about_something_else():
    assert judged("The Aster bridge opened in 1932.", "Tea is served at noon.") == (
        Label.NOT_ENOUGH_EVIDENCE,
        "No document speaks of the claim.",
    )


def test_the_sentence_that_says_most_of_the_claim_decides():
    elsewhere = "Another bridge over the Aster was opened in 1950."
    assert judged("The Aster bridge was opened to traffic in May 1932.", elsewhere, BRIDGE)[0] is Label.SUPPORTED


def test_contradictions_are_not_supported_and_paraphrases_not_refuted():
    counts: dict[str, Counter[Label]] = {}
    for case in cases():
        texts = (" ".join(sentences_of(text)) for text in case.documents.values())
        counts.setdefault(case.kind, Counter())[judged(case.claim, *texts)[0]] += 1
    refuted = sum((found for kind, found in counts.items() if EXPECTED[kind] is Label.REFUTED), Counter())
    paraphrases = counts["paraphrase"]
    assert refuted[Label.SUPPORTED] <= 0.1 * refuted.total()
    assert paraphrases[Label.REFUTED] <= 0.1 * paraphrases.total()
    assert refuted[Label.REFUTED] > 0.5 * refuted.total()
