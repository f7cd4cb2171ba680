"""A text is checked statement by statement against one collection, and what came of all is counted."""

import pytest

from factgraph import FactChecker, Label
from knowledge_store.pages.page import Page
from knowledge_store.pages.store import write_store
from system.article.reading import article_of
from system.article.records import CheckedText
from tests.helpers.by_words import ByWords, reading_engine

TEXT = (
    "The Aster bridge opened in 1931. The Aster bridge carries two lanes. Is it old? Nobody knows the mayor of Corvane."
)
DOCUMENTS = {
    "history.md": "The Aster bridge opened in 1932. Work took four years.",
    "lanes.md": "The Aster bridge carries two lanes and a footpath.",
}


@pytest.fixture
def checker():
    with FactChecker(engine=reading_engine()) as checker:
        yield checker


def test_each_statement_has_its_verdict_and_the_text_its_counts(checker):
    checked = CheckedText.of(article_of(TEXT), checker.check_text(TEXT, DOCUMENTS))
    labels = [one.label for one in checked.statements]
    assert labels == [Label.REFUTED, Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE]
    assert checked.decided == 2
    tree = checked.to_dict()
    assert tree["counts"]["Refuted"] == 1 and tree["text"] == TEXT
    first = tree["statements"][0]
    assert first["text"] == TEXT[first["start"] : first["end"]]
    assert first["correction"]["text"] == "The Aster bridge opened in 1932."
    assert first["evidence"][0]["passages"][0]["address"] == "history.md"


def test_the_reader_takes_a_statement_that_refers_to_its_context_behind_it():
    heard = set()

    class Hears(ByWords):
        def probabilities(self, pairs):
            heard.update(statement for _, statement in pairs)
            return super().probabilities(pairs)

    with FactChecker(engine=reading_engine(reader=Hears())) as checker:
        text = "The Aster bridge opened in 1931. It carries two lanes."
        checked = CheckedText.of(article_of(text), checker.check_text(text, {"a.md": "Lanes of the Aster: two."}))
    context = "The Aster bridge opened in 1931."
    assert heard == {context, f"[{context}] It carries two lanes."}
    last = checked.to_dict()["statements"][1]
    assert (last["claim"], last["context"]) == ("It carries two lanes.", "The Aster bridge opened in 1931.")


def test_the_text_is_no_evidence_for_itself(checker):
    text = TEXT.replace(". Is", "!Is")  # the sentences of a page have spaces between them
    labels = {one.sentence.number: one.label for one in checker.check_text(text, {"copy.md": text, **DOCUMENTS})}
    assert labels[0] is Label.REFUTED and labels[3] is Label.NOT_ENOUGH_EVIDENCE


def test_a_store_is_read_too_and_what_repeats_a_statement_is_none(checker, tmp_path):
    first, _ = DOCUMENTS.items()
    copies = ("copy.md", "Officials confirmed that the Aster bridge carries two lanes and a footpath.")
    pages = [Page(number, url, (text,)) for number, (url, text) in enumerate([first, copies])]
    write_store(pages, tmp_path / "store.json")
    labels = {one.sentence.number: one.label for one in checker.check_text(TEXT, store=tmp_path / "store.json")}
    assert labels == {0: Label.REFUTED, 1: Label.NOT_ENOUGH_EVIDENCE, 3: Label.NOT_ENOUGH_EVIDENCE}


def test_what_was_checked_before_is_not_checked_again(checker):
    first = list(checker.check_text(TEXT, DOCUMENTS))[:2]
    again = checker.check_text(TEXT, {"other.md": "Nothing of the kind."}, done=first)
    assert [one for one in again if one in first] == sorted(first, key=lambda one: one.sentence.number)
