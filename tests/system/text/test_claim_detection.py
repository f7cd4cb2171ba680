"""Questions and opinions are said to be no claims, and nothing else is."""

import time
from dataclasses import replace

import pytest

from factgraph import FactChecker, Label
from system.check import Engine, check
from system.graph.records import Claim, Verdict
from system.models.scripted import ScriptedModel
from system.text.claim_detection import not_a_claim
from tests.helpers import fake_time
from tests.helpers.bridge import PAGES, BagOfWords, settings_with, store_of

TEXTS = {
    "a question": [
        "Did the Aster bridge open in 1931?",
        "When did the mayor say that the bridge would open?",
        "Who built it? And why?",
        "Face masks cause harm?",
        "¿Cuándo abrió el puente?",
    ],
    "an opinion": [
        "The Aster bridge is beautiful.",
        "The Aster bridge is the most beautiful bridge in the country.",
        "Corvane was a very dull town.",
        "I think the bridge looks fine.",
        "In my opinion the toll is too high.",
        "The town should close the bridge.",
        "Tea is better than coffee.",
        "I have never understood why people drive there.",
        "I can't see why anyone would pay.",
        "I could never imagine what the mayor said.",
        "We have always loved the old harbour.",
        "I am glad that the mayor said so.",
        "It is a shame that nobody went.",
        "Not everything shines.",
        "Nothing lasts forever.",
        "Not all is lost.",
    ],
    "a call to action": [
        "Share this before they delete it!",
        "Please stay at home.",
        "Don't trust the media.",
        "We must act now.",
        "Vote for the bridge.",
        "Let's build it.",
        "Share this post with your friends!",
        "Share your story: call our hotline now.",
        "Buy your ticket now.",
        "Subscribe to our newsletter.",
        "Make sure that you vote on May 5.",
        "Join us on 5 May at 7:30 pm!",
    ],
    "": [
        "",
        "Support for the party fell.",
        "Share prices fell in May.",
        "Demand for oil rose.",
        "Vote fraud is common in Corvane.",
        "Candidates must be older than the mayor.",
        "The mayor asked people to share this picture.",
        "The Aster bridge opened in 1931.",
        "The Aster bridge is not open.",
        "The mayor thinks the bridge is ugly.",
        "The mayor said that the town should close the bridge.",
        "“Who needs a bridge?”",
        "The mayor wrote: “Is the bridge safe?”",
        "Corvane is one of the best towns for cyclists.",
        "The bridge is better than its 1932 design.",
        "The bridge opened in 1931. Is it not beautiful?",
        "Lorries may cross the bridge.",
        "Share this: the mayor said that the bridge fell.",
        "The ferry is faster than the bridge.",
        "Creo que el alcalde miente.",
        "I was born in Corvane.",
        "I have never understood why 40 people voted for it.",
        "We have never raised the toll.",
        "Nothing was stolen.",
        "All buses stopped.",
        "Not everything in Aster shines.",
        "Not everything burned.",
        "It was the end of a hard winter.",
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TEXTS.items() for text in texts])
def test_only_a_statement_of_fact_is_a_claim(kind, text):
    assert not_a_claim(text) == kind


def test_a_check_says_so_and_asks_no_model():
    def never(request):
        raise AssertionError("asked")

    with FactChecker(engine=Engine(ScriptedModel(never), BagOfWords(), settings_with())) as checker:
        checked = checker.check("Is the Aster bridge open?", dict(PAGES))
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert checked.verdict.justification == ("This is a question, not a claim: no evidence can make it true or false.")
    assert checked.result.failures == () and checked.result.timing.cost.calls == 0
    assert isinstance(checked.graph.thoughts[-1].content, Verdict)


def test_a_row_of_a_file_is_a_claim_in_any_form(make_engine):
    question = Claim("Is the Aster bridge open?", id=7)
    result, _ = fake_time.run(check(make_engine(), question, store_of(PAGES)))
    assert result.verdict.label is Label.SUPPORTED and result.timing.cost.calls > 0
    own, _ = fake_time.run(check(replace(make_engine(), own=True), question, store_of(PAGES)))
    assert own.verdict.label is Label.NOT_ENOUGH_EVIDENCE and own.timing.cost.calls == 0


@pytest.mark.parametrize(
    "text", ['"' * 50_000, "!" * 50_000 + "a", "! " * 25_000 + "a", "?" * 50_000, "Nothing " * 7000]
)
def test_runs_of_marks_are_judged_in_linear_time(text):
    begin = time.process_time()
    not_a_claim(text)
    assert time.process_time() - begin < 5
