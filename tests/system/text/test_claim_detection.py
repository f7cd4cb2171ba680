"""Questions and opinions are said to be no claims, and nothing else is."""

import time
from dataclasses import replace

import pytest

from factgraph import FactChecker, Label
from system.check import check
from system.graph.records import Claim, Verdict
from system.text.claim_detection import not_a_claim
from tests.helpers import fake_time
from tests.helpers.bridge import PAGES, engine_of, store_of

TEXTS = {
    "a question": (
        "Did the Aster bridge open in 1931?", "When did the mayor say that the bridge would open?",
        "Face masks cause harm?", "¿Cuándo abrió el puente?",
    ),
    "an opinion": (
        "The Aster bridge is beautiful.", "I think the bridge looks fine.", "In my opinion the toll is too high.",
        "The town should close the bridge.", "I have never understood why people drive there.",
        "I can't see why anyone would pay.", "I am glad that the mayor said so.", "It is a shame that nobody went.",
        "Not everything shines.", "Save our bridge!", "Vote for our mayor!", "Please close the bridge.",
    ),
    "": (
        "", "Candidates must be older than the mayor.", "The Aster bridge opened in 1931.",
        "The mayor thinks the bridge is ugly.", "The mayor said that the town should close the bridge.",
        "“Who needs a bridge?”", "The mayor wrote: “Is the bridge safe?”",
        "Corvane is one of the best towns for cyclists.", "The bridge opened in 1931. Is it not beautiful?",
        "Creo que el alcalde miente.", "I was born in Corvane.",
        "I have never understood why 40 people voted for it.", "It was the end of a hard winter.",
        "Support for the mayor grew!", "Stop signs were stolen!",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TEXTS.items() for text in texts])
def test_only_a_statement_of_fact_is_a_claim(kind, text):
    assert not_a_claim(text) == kind


def test_a_check_says_so_and_asks_no_model():
    def never(request):
        raise AssertionError("asked")

    with FactChecker(engine=engine_of(never)) as checker:
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
