"""Reasons for a verdict that came as a label alone."""

import pytest

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, Label, QuestionAnswer, Source
from system.strategies.steps.verdict import justify
from system.text.provenance import _quotations, name_documents
from system.text.words import LONGEST_QUOTATION
from tests.helpers.submission_factories import answer, qa


def pair(text: str, url: str = "https://aster.example/bridge") -> QuestionAnswer:
    return qa("When?", text, answer(text, cites=Passage(text, url, 0, 0)))


CLAIM = Claim(id=0, text="The bridge was opened for traffic.")
OPENED, CLOSED = pair("It opened in 1932."), pair("It is closed.", "https://news.example/a")
NOTHING = QuestionAnswer.unanswered("Who paid?")


@pytest.mark.parametrize(
    ("label", "pairs", "expected"),
    [
        (Label.SUPPORTED, [OPENED], "The evidence agrees with the claim; nearest to it: “It opened in 1932.”"),
        (Label.REFUTED, [NOTHING, OPENED], "contradicts the claim; nearest to it: “It opened in 1932.”"),
        (Label.CONFLICTING, [OPENED, CLOSED], "both ways: “It opened in 1932.”, but also “It is closed.”"),
        (Label.CONFLICTING, [OPENED], "supports the claim only in part; nearest to it: “It opened in 1932.”"),
        (Label.NOT_ENOUGH_EVIDENCE, [CLOSED], "does not settle the claim; nearest to it: “It is closed.”"),
        (Label.REFUTED, [NOTHING], "Nothing was found that answers the questions about the claim."),
    ],
)
def test_quotes_the_answers_that_decide(label, pairs, expected):
    assert expected in justify(label, CLAIM, pairs)


def test_quotes_a_page_before_the_metadata():
    dated = pair("3-5-2021")
    dated = dated.model_copy(update={"answers": (dated.answers[0].model_copy(update={"source": Source.METADATA}),)})
    assert justify(Label.REFUTED, CLAIM, [dated]) == "Judged by the claim and its metadata alone: “3-5-2021”."
    assert justify(Label.REFUTED, CLAIM, [dated, OPENED]).endswith("; nearest to it: “It opened in 1932.”")


def test_quotes_the_answer_with_most_of_the_claims_words():
    beside = pair("It has four lanes.")
    for pairs in ([beside, OPENED], [OPENED, beside]):
        assert justify(Label.REFUTED, CLAIM, pairs).endswith("; nearest to it: “It opened in 1932.”")


def test_ends_an_incomplete_sentence_with_a_period():
    assert justify(Label.SUPPORTED, CLAIM, [pair("since 1932")]).endswith("“since 1932”.")


def test_cuts_a_long_answer_between_words():
    text = "word " * 100
    quoted = justify(Label.SUPPORTED, CLAIM, [pair(text)]).split("“")[1].split("”")[0]
    assert len(quoted) <= LONGEST_QUOTATION + 2 and quoted.endswith("word …")


@pytest.mark.parametrize("label", Label)
def test_names_the_document_of_every_quotation(label):
    merged = OPENED.model_copy(
        update={"answer": "It opened in 1932. It is closed.", "answers": OPENED.answers + CLOSED.answers}
    )
    pairs = (merged, CLOSED)
    named = name_documents(justify(label, CLAIM, pairs), CLAIM, pairs)
    assert [span for _, span, known in _quotations(named, CLAIM, pairs) if not known] == []
    assert "(aster.example)" in named
