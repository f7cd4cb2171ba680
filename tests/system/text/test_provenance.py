"""Quotations of a justification are followed by the document that they stand in."""

import pytest

from knowledge_store.pages.page import Passage
from system.graph.records import QuestionAnswer, Source
from system.text.provenance import name_documents
from tests.helpers import submission_factories
from tests.helpers.bridge import CLAIM

PASSAGE = Passage(
    "The bridge opened to traffic\nin May 1932. It is closed to lorries.", "https://www.news.example/a", 0, 0
)
PAIR = QuestionAnswer(
    question="When did it open?",
    answer="In May 1932.",
    answers=(
        submission_factories.answer("In May 1932.", Source.EVIDENCE, PASSAGE),
        submission_factories.answer("Opened by Ann Lee.", Source.METADATA, PASSAGE),
    ),
)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("No quotation at all, and the term “closed” is none either.", ""),
        ("It is late: “opened to traffic in May 1932” (news.example).", ""),
        ('According to news.example it is "Closed to lorries…".', ""),
        (f"The claim “{CLAIM.text}” is about a bridge.", ""),
        ("It says “opened in 1931”.", ""),
        ("It opened “in May 1932”.", "It opened “in May 1932” (news.example)."),
        ("news.example says “opened by Ann Lee”.", "news.example says “opened by Ann Lee” (metadata)."),
    ],
)
def test_a_quotation_is_followed_by_its_document(said: str, named: str) -> None:
    mended = name_documents(said, CLAIM, (PAIR,))
    assert mended == (named or said)
    assert name_documents(mended, CLAIM, (PAIR,)) == mended
