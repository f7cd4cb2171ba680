"""The noisy oracle: without noise it knows all, and each rate does what it says and nothing else."""

import asyncio

import pytest
from bridge import BagOfWords, settings_with

from knowledge_store.pages.page import Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from scripts.oracle import OracleModel, Rates
from system.check import Engine, check
from system.gold import GoldAnswer, GoldClaim, GoldQuestion
from system.models.base import ModelError, Request
from system.records import Claim, Label
from system.tasks.carp import DecomposeClaim
from system.thoughts import Ruling

CLAIMS = 60
QUESTIONS = ("When was the bridge opened?", "Who paid for all that work?", "How long did building take them?")


def gold_of(label):
    questions = tuple(
        GoldQuestion(
            text=question,
            answers=(
                GoldAnswer(question=question, place=n, text=f"Reply {n} about it.", url=f"https://page{n}.example"),
            ),
        )
        for n, question in enumerate(QUESTIONS)
    )
    claims = (Claim(id=number, text=f"Claim {number}.") for number in range(CLAIMS))
    return [GoldClaim(claim=claim, label=label, questions=questions) for claim in claims]


def run(gold, rates, strategy="got", **changes):
    """Results and graphs of all claims over stores that hold the annotated answers."""
    settings = settings_with(**{"graph__questions": 3, "graph__branches": 3, "graph__depth": 3} | changes)
    engine = Engine(OracleModel(gold, rates), BagOfWords(), settings.model_copy(update={"strategy": strategy}))

    async def all_claims():
        checked = []
        for one in gold:
            pages = [Page(n, a.url, (a.question, a.text)) for n, a in enumerate(one.answers)]
            ranked = rank(pages, one.claim.text, RetrievalSettings())
            checked.append(await check(engine, one.claim, ranked))
        return checked

    return asyncio.run(all_claims())


def accuracy(checked, label):
    return sum(result.verdict.label is label for result, _ in checked) / len(checked)


@pytest.mark.parametrize("label", Label)
@pytest.mark.parametrize("strategy", ["debatecv", "single", "majority"])
def test_without_errors_everything_is_right(label, strategy):
    assert accuracy(run(gold_of(label), Rates(), strategy), label) == 1.0


@pytest.mark.parametrize("label", [Label.SUPPORTED, Label.REFUTED])
def test_without_errors_a_branch_asks_until_it_has_half_the_evidence(label):
    checked = run(gold_of(label), Rates(), graph__branches=1)
    assert accuracy(checked, label) == 1.0
    assert {result.timing.rounds for result, _ in checked} == {2}


def test_missed_answers_leave_too_little_evidence():
    checked = run(gold_of(Label.REFUTED), Rates(miss=1.0), "single")
    assert accuracy(checked, Label.NOT_ENOUGH_EVIDENCE) == 1.0
    assert not any(pair.answered for result, _ in checked for pair in result.pairs)


def test_a_rate_is_about_the_share_of_errors():
    found = [
        pair.answered for result, _ in run(gold_of(Label.REFUTED), Rates(miss=0.3), "single") for pair in result.pairs
    ]
    assert 0.6 < sum(found) / len(found) < 0.8


def test_flipped_verdicts_say_the_opposite():
    assert accuracy(run(gold_of(Label.REFUTED), Rates(flip=1.0), "single"), Label.SUPPORTED) == 1.0


def test_only_moderators_drift():
    gold = gold_of(Label.REFUTED)
    assert accuracy(run(gold, Rates(drift=1.0), "single"), Label.REFUTED) == 1.0
    drifted = run(gold, Rates(drift=1.0), "debatecv")
    assert accuracy(drifted, Label.REFUTED) == 0.0
    neutral = {Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING}
    assert {result.verdict.label for result, _ in drifted} == neutral


def test_the_moderator_does_not_overlook_cited_passages():
    gold = gold_of(Label.REFUTED)
    rates = Rates(overlook=0.4)
    assert accuracy(run(gold, rates, "debatecv"), Label.REFUTED) > accuracy(run(gold, rates, "single"), Label.REFUTED)


def test_independent_agents_err_in_different_places():
    gold = gold_of(Label.REFUTED)
    rates = Rates(flip=0.3)
    assert accuracy(run(gold, rates, "majority"), Label.REFUTED) > accuracy(run(gold, rates, "single"), Label.REFUTED)


def test_every_run_errs_in_the_same_places():
    gold = gold_of(Label.SUPPORTED)
    rates = Rates(0.2, 0.2, 0.2, 0.2)
    first, second = (run(gold, rates, graph__debate=True) for _ in range(2))
    assert [r.verdict for r, _ in first] == [r.verdict for r, _ in second]
    assert any(graph.holding(Ruling) for _, graph in first)


def test_an_unknown_task_is_an_error():
    task = DecomposeClaim(claim=Claim(id=0, text="Claim 0."))
    (result,) = asyncio.run(OracleModel(gold_of(Label.REFUTED), Rates()).generate([Request(task)]))
    assert isinstance(result, ModelError) and "decompose_claim" in result.message
