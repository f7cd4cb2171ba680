"""Clauses, their questions, and noun phrases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from system.models.extractive.grammar import clause, noun_phrases, tag


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The council sold the mill.", "did the council sell the mill"),
        ("The council sells the mill.", "does the council sell the mill"),
        ("The councils sell the mill.", "do the councils sell the mill"),
        ("The mill is for sale", "is the mill for sale"),
        ("The mill was sold by the council", "was the mill sold by the council"),
        ("The council has sold the mill", "has the council sold the mill"),
        ("The council has a mill", "does the council have a mill"),
        ("The council will sell the mill", "will the council sell the mill"),
        ("The council can't sell the mill", "can the council not sell the mill"),
        ("The council didn’t sell the mill", "did the council not sell the mill"),
        ("There is gold in the mill", "is there gold in the mill"),
        ("In 2017, the council sold the mill", "did the council sell the mill in 2017"),
        ("If prices rise, the council will sell the mill", "will the council sell the mill if prices rise"),
        ("Over the past five years the council has sold mills", "has the council sold mills over the past five years"),
        ("The woman who owns the mill lives in Leeds", "does the woman who owns the mill live in Leeds"),
        ("Flour made in Leeds is white", "is flour made in Leeds white"),
        ("Ireland’s debt was high", "was Ireland’s debt high"),
        ("NASA launched a probe", "did NASA launch a probe"),
        ("People with asthma take more pills", "do people with asthma take more pills"),
    ],
)
def test_a_clause_becomes_its_question(sentence: str, question: str) -> None:
    found = clause(sentence)
    assert found is not None
    assert found.inverted == question


@pytest.mark.parametrize("text", ["", "   ", "?!", "Sold", "After the war", "In"])
def test_a_clause_needs_a_subject_and_a_verb(text: str) -> None:
    assert clause(text) is None


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_tagged_with_token_positions(text: str) -> None:
    tokens = tag(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    clause(text), noun_phrases(text)
