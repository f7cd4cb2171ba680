"""Consultancy and debate before the same judge, with a scripted model."""

import asyncio
from dataclasses import replace

import pytest

from system.graph.records import Label
from system.graph.thoughts import Speaker
from system.models.base import RoutedModel, by_agent
from system.models.prompting import render
from system.models.scripted import ScriptedModel
from system.strategies.base import named
from system.strategies.consultancy.records import PERSONAS, Belief, Persuasion
from system.strategies.consultancy.strategy import ROUNDS, ai_debate, consultancy
from system.strategies.consultancy.tasks import (
    Advise,
    JudgeSpeakers,
    QuestionSpeakers,
    RatePersuasion,
    StateBelief,
)
from system.strategies.debate.records import Skipped
from system.strategies.debate.tasks import Argue, CloseDebate, Moderate
from system.strategies.steps.tasks import VerdictReply
from tests.helpers.bridge import BROKEN, asked, hang, run_check
from tests.helpers.by_strategy.consultancy import RATINGS

CONSULTANT, JUDGE = Speaker.CONSULTANT, Speaker.JUDGE
MEASURED = {"options__beliefs": True, "options__persuasion": True}


def run(case, strategy=consultancy):
    return asyncio.run(strategy(case))


def speakers(task):
    return [(said.round, said.speaker) for said in task.transcript]


def test_three_rounds_with_one_question_of_the_judge(make_case):
    case = make_case()
    outcome = run(case)
    assert outcome.verdict.label is Label.SUPPORTED and outcome.rounds == ROUNDS
    (judged,) = asked(case, JudgeSpeakers)
    assert speakers(judged) == [(1, CONSULTANT), (1, JUDGE), (2, CONSULTANT), (3, CONSULTANT)]
    assert [len(task.transcript) for task in asked(case, Advise)] == [0, 2, 3]
    assert case.graph["v1"].parents == ("d1", "d2", "d3", "d4")


def test_the_consultant_is_told_what_each_round_is_for(make_case):
    case = make_case()
    run(case)
    prompts = [render(task, adapter=False)[1]["content"] for task in asked(case, Advise)]
    wanted = ("Open with your strongest", "Answer the judge's question", "Close: give the evidence")
    assert [[words in prompt for words in wanted] for prompt in prompts] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_the_judge_reads_what_is_cited_and_no_other_evidence(make_case):
    case = make_case()
    run(case)
    (judged,) = asked(case, JudgeSpeakers)
    prompt = render(judged, adapter=False)[1]["content"]
    shared_evidence = asked(case, Advise)[0].evidence
    assert shared_evidence[0].text in prompt
    assert not [passage for passage in shared_evidence[1:] if passage.text in prompt]


def test_both_sides_speak_and_the_judge_asks_between_rounds(make_case):
    case = make_case()
    outcome = run(case, ai_debate)
    assert outcome.rounds == ROUNDS
    (judged,) = asked(case, JudgeSpeakers)
    both = [Speaker.AFFIRMATIVE, Speaker.NEGATIVE]
    assert [speaker for _, speaker in speakers(judged)] == [*both, JUDGE, *both, JUDGE, *both]
    assert not asked(case, Advise) and len(asked(case, Argue)) == 6


def test_judges_with_personas_vote_and_the_first_asks(make_case, answers):
    labels = dict(zip(PERSONAS, (Label.REFUTED, Label.SUPPORTED, Label.REFUTED), strict=False))
    answers.replace[JudgeSpeakers] = lambda r: VerdictReply(justification="x", label=labels[r.task.persona])
    case = make_case(options__personas=3)
    assert run(case).verdict.label is Label.REFUTED
    assert [task.persona for task in asked(case, JudgeSpeakers)] == list(PERSONAS[:3])
    assert [task.persona for task in asked(case, QuestionSpeakers)] == [PERSONAS[0]]
    assert PERSONAS[1] in render(asked(case, JudgeSpeakers)[1], adapter=False)[1]["content"]


@pytest.mark.parametrize("strategy", [consultancy, ai_debate])
@pytest.mark.parametrize("task", [Advise, Argue, QuestionSpeakers])
def test_a_failed_turn_does_not_cost_the_verdict(make_case, answers, strategy, task):
    answers.replace[task] = lambda r: BROKEN if len(getattr(r.task, "transcript", ())) >= 1 else None
    case = make_case()
    assert run(case, strategy).verdict.label is Label.SUPPORTED
    spoken = asked(case, task)
    assert bool(case.failures) == bool(spoken)


@pytest.mark.parametrize("strategy", ["debatecv", "ai_debate", "consultancy"])
@pytest.mark.parametrize(("others", "speaking"), [([], {0}), (["b"], {1}), (["b", "c"], {1, 2})])
def test_speakers_run_on_other_models_than_judges(make_case, answers, strategy, others, speaking):
    models = [ScriptedModel(answers) for _ in range(1 + len(others))]
    case = make_case(model__other_models=others)
    case.model = RoutedModel(models, by_agent(len(models)))
    asyncio.run(named(strategy)(case))
    said = {n: [r for r in model.requests if isinstance(r.task, Argue | Advise)] for n, model in enumerate(models)}
    wanted = speaking if strategy != "consultancy" else {min(speaking)}
    assert {number for number, requests in said.items() if requests} == wanted
    assert {request.temperature for requests in said.values() for request in requests} == {0.0}
    judging = Moderate | CloseDebate | JudgeSpeakers
    assert not [r for model in models[1:] for r in model.requests if isinstance(r.task, judging)]


def contents(case, kind):
    return [thought.content for thought in case.graph.holding(kind)]


@pytest.mark.parametrize(("strategy", "turns"), [(consultancy, 4), (ai_debate, 8)])
def test_each_judge_says_what_it_believes_before_and_after(make_case, strategy, turns):
    case = make_case(options__beliefs=True, options__personas=2)
    run(case, strategy)
    asked_of = [(task.persona, len(task.transcript)) for task in asked(case, StateBelief)]
    assert asked_of == [(persona, said) for said in (0, turns) for persona in PERSONAS[:2]]
    assert case.model.requests[0].task == asked(case, StateBelief)[0]  # before evidence is gathered
    believed = [(one.persona, one.after, one.percent) for one in contents(case, Belief)]
    assert believed == [(persona, after, 80 if after else 40) for after in (False, True) for persona in PERSONAS[:2]]
    assert case.graph["b1"].summary.heading == "belief before the speakers: 40%"
    prompts = [render(task, adapter=False)[1]["content"] for task in asked(case, StateBelief)]
    assert ["Nobody has spoken yet" in prompt for prompt in prompts] == [True, True, False, False]
    assert PERSONAS[1] in prompts[1] and not contents(case, Persuasion)


def test_a_consultants_turns_are_rated_on_its_side(make_case):
    case = make_case(options__persuasion=True)
    run(case)
    rated = [(one.speaker, one.side, one.round, one.ratings) for one in contents(case, Persuasion)]
    assert rated == [(CONSULTANT, Speaker.AFFIRMATIVE, number, RATINGS) for number in (1, 2, 3)]
    assert case.graph["w1"].parents == ("d1",) and not contents(case, Belief)
    assert case.graph["w1"].summary.text == "evidence high, logic moderate, authority low, rebuttal low"


def checked(make_engine):
    """A check with both measurements, on fake time."""
    engine = make_engine(**MEASURED, run__budget=10.0)
    engine = replace(engine, settings=engine.settings.model_copy(update={"strategy": "consultancy"}))
    return run_check(engine)


def skipped(graph):
    return [thought.content.step for thought in graph.holding(Skipped)]


@pytest.mark.parametrize("kind", [StateBelief, RatePersuasion])
def test_a_measurement_that_hangs_costs_no_verdict(make_engine, answers, kind):
    def hang_at_the_end(request):
        return hang(request) if kind is RatePersuasion or request.task.transcript else None

    answers.replace[kind] = hang_at_the_end
    answers.replace[JudgeSpeakers] = lambda _: VerdictReply(justification="x", label=Label.REFUTED)
    result, graph = checked(make_engine)
    assert result.verdict.label is Label.REFUTED and result.timing.cut_short
    assert skipped(graph) == (["persuasion"] if kind is RatePersuasion else ["beliefs after", "persuasion"])
