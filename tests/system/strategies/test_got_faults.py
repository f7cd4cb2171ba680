"""The graph with a model that fails or hangs, and with stores that hold little."""

import asyncio

import pytest

from system.graph.records import Failure, Label
from system.strategies.steps.tasks import AnswerQuestion, AskQuestion, JudgeClaim, MergeAnswers
from tests.helpers.bridge import BROKEN, NEI, PAGES, REFUTED, run_check, run_got


@pytest.mark.parametrize("task", [AskQuestion, AnswerQuestion, MergeAnswers, JudgeClaim])
def test_one_failed_request_costs_only_itself(make_case, answers, task):
    failed = []

    def once(request):
        if failed:
            return None
        failed.append(request)
        return BROKEN

    answers.replace[task] = once
    case = make_case(graph__questions=2)
    outcome = run_got(case)
    assert outcome.verdict.label is Label.SUPPORTED
    assert [failure.message for failure in case.failures] == ["backend error: expected a reply, got none"]
    assert len(case.graph.holding(Failure)) == 1


@pytest.mark.parametrize("raw", ["", "{", '{"question": 3}', "Refuted!", '{"question": ""}'])
def test_a_malformed_reply_is_retried_once_with_another_seed(make_case, answers, raw):
    answers.replace[AskQuestion] = lambda r: raw if r.task.index == 0 and r.seed == 1 else None
    case = make_case()
    outcome = run_got(case)
    assert outcome.verdict.label is Label.SUPPORTED and not case.failures
    seeds = [r.seed for r in case.model.requests if isinstance(r.task, AskQuestion) and r.task.index == 0]
    assert len(seeds) == 2 and len(set(seeds)) == 2


def test_a_model_that_never_asks_leaves_the_claim_as_question(make_case, answers):
    answers.replace[AskQuestion] = lambda _: BROKEN
    case = make_case()
    outcome = run_got(case)
    assert outcome.pairs[0].question == "Is it true that the Aster bridge opened in 1932?"
    assert outcome.verdict.label is Label.SUPPORTED
    assert len(case.failures) == 3


def test_a_model_that_never_judges_leaves_the_claim_open(make_case, answers):
    answers.replace[JudgeClaim] = lambda _: BROKEN
    case = make_case()
    outcome = run_got(case)
    assert outcome.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert outcome.pairs and case.failures[-1].operation == "final verdict"


@pytest.mark.parametrize("pages", [(), PAGES[:1]])
def test_an_empty_or_tiny_store_still_gives_a_row(make_engine, pages):
    result, _ = run_check(make_engine(), pages)
    assert result.pairs
    if not pages:
        assert result.verdict.label is Label.NOT_ENOUGH_EVIDENCE


def test_a_judgement_cut_short_is_done_in_the_reserve(make_engine, answers):
    calls = []

    async def slow_once(request):
        calls.append(request)
        if len(calls) <= 2:
            await asyncio.sleep(3600)
        return REFUTED

    answers.replace[JudgeClaim] = slow_once
    result, _ = run_check(make_engine(run__budget=0.6))
    assert result.timing.cut_short
    assert result.verdict.label is Label.REFUTED


def test_no_round_starts_without_enough_time(make_engine, answers):
    async def slow(request):
        await asyncio.sleep(0.25)
        return NEI

    answers.replace[JudgeClaim] = slow
    engine = make_engine(run__budget=0.5, graph__depth=9)
    result, _ = run_check(engine)
    assert result.timing.rounds == 1
    assert result.timing.cut_short
