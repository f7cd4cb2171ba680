"""Consultancy and debate before the same judge, with a scripted model."""

import pytest

from system.graph.records import Label
from system.graph.thoughts import Speaker
from system.models.base import RoutedModel
from system.models.prompting import render
from system.strategies.consultancy.strategy import PERSONAS
from system.strategies.consultancy.tasks import Advise, Belief, JudgeSpeakers, QuestionSpeakers, StateBelief
from system.strategies.debate.tasks import Argue, CloseDebate, Moderate
from system.strategies.steps.tasks import VerdictReply
from tests.helpers.bridge import BROKEN, asked, hang, ran, run_check
from tests.helpers.scripted import ScriptedModel

CONSULTANT, JUDGE, BOTH = Speaker.CONSULTANT, Speaker.JUDGE, [Speaker.AFFIRMATIVE, Speaker.NEGATIVE]


def prompts(case, kind):
    return [render(task, adapter=False)[1]["content"] for task in asked(case, kind)]


@pytest.mark.parametrize(
    ("strategy", "speakers"),
    [("consultancy", [CONSULTANT, JUDGE, CONSULTANT, CONSULTANT]), ("ai_debate", [*BOTH, JUDGE, *BOTH, JUDGE, *BOTH])],
)
def test_three_rounds_with_questions_of_the_judge(make_case, strategy, speakers):
    case, outcome = ran(make_case(strategy=strategy))
    assert outcome.verdict.label is Label.SUPPORTED and outcome.rounds == 3
    (judged,) = asked(case, JudgeSpeakers)
    assert [said.speaker for said in judged.transcript] == speakers
    assert case.graph["v1"].parents == tuple(f"d{number}" for number in range(1, len(speakers) + 1))


def test_prompts_say_what_each_round_is_for_and_show_the_judge_only_what_is_cited(make_case):
    case, _ = ran(make_case(strategy="consultancy"))
    wanted = ("Open with your strongest", "Answer the judge's question", "Close: give the evidence")
    for words, prompt in zip(wanted, prompts(case, Advise), strict=True):
        assert [each in prompt for each in wanted] == [each == words for each in wanted]
    (prompt,), (cited, *others) = prompts(case, JudgeSpeakers), asked(case, Advise)[0].evidence
    assert cited.text in prompt
    assert not [passage for passage in others if passage.text in prompt]


def test_judges_with_personas_vote_and_the_first_asks(make_case, answers):
    labels = dict(zip(PERSONAS, (Label.REFUTED, Label.SUPPORTED, Label.REFUTED), strict=False))
    answers.replace[JudgeSpeakers] = lambda r: VerdictReply(justification="x", label=labels[r.task.persona])
    case, outcome = ran(make_case(strategy="consultancy", options__personas=3))
    assert outcome.verdict.label is Label.REFUTED
    assert [task.persona for task in asked(case, JudgeSpeakers)] == list(PERSONAS[:3])
    assert [task.persona for task in asked(case, QuestionSpeakers)] == [PERSONAS[0]]
    assert PERSONAS[1] in prompts(case, JudgeSpeakers)[1]


@pytest.mark.parametrize(
    ("strategy", "task"), [("consultancy", Advise), ("ai_debate", Argue), ("ai_debate", QuestionSpeakers)]
)
def test_a_failed_turn_does_not_cost_the_verdict(make_case, answers, strategy, task):
    answers.replace[task] = lambda r: BROKEN if r.task.transcript else None
    case, outcome = ran(make_case(strategy=strategy))
    assert outcome.verdict.label is Label.SUPPORTED and case.failures


@pytest.mark.parametrize("strategy", ["debatecv", "ai_debate", "consultancy"])
@pytest.mark.parametrize(("others", "speaking"), [([], {0}), (["b"], {1}), (["b", "c"], {1, 2})])
def test_speakers_run_on_other_models_than_judges(make_case, answers, strategy, others, speaking):
    models = [ScriptedModel(answers) for _ in range(1 + len(others))]
    case = make_case(strategy=strategy, model__other_models=others)
    case.model = RoutedModel(models)
    ran(case)
    said = {n: [r for r in model.requests if isinstance(r.task, Argue | Advise)] for n, model in enumerate(models)}
    wanted = speaking if strategy != "consultancy" else {min(speaking)}
    assert {number for number, requests in said.items() if requests} == wanted
    assert {request.temperature for requests in said.values() for request in requests} == {0.0}
    judging = Moderate | CloseDebate | JudgeSpeakers
    assert not [r for model in models[1:] for r in model.requests if isinstance(r.task, judging)]


@pytest.mark.parametrize(("strategy", "turns"), [("consultancy", 4), ("ai_debate", 8)])
def test_each_judge_says_what_it_believes_before_and_after(make_case, strategy, turns):
    case, _ = ran(make_case(strategy=strategy, options__beliefs=True, options__personas=2))
    asked_of = [(task.persona, len(task.transcript)) for task in asked(case, StateBelief)]
    assert asked_of == [(persona, said) for said in (0, turns) for persona in PERSONAS[:2]]
    assert case.model.requests[0].task == asked(case, StateBelief)[0]  # before evidence is gathered
    believed = [thought.content for thought in case.graph.holding(Belief)]
    assert [(one.persona, one.after, one.percent) for one in believed] == [
        (persona, after, 80 if after else 40) for after in (False, True) for persona in PERSONAS[:2]
    ]
    assert case.graph["b1"].summary.heading == "belief before the speakers: 40%"
    assert ["Nobody has spoken yet" in prompt for prompt in prompts(case, StateBelief)] == [True, True, False, False]


def test_a_belief_that_hangs_costs_no_verdict(make_engine, answers):
    answers.replace[StateBelief] = lambda request: hang(request) if request.task.transcript else None
    answers.replace[JudgeSpeakers] = lambda _: VerdictReply(justification="x", label=Label.REFUTED)
    result, graph = run_check(make_engine(strategy="consultancy", options__beliefs=True, run__budget=10.0))
    assert result.verdict.label is Label.REFUTED and result.timing.cut_short
    assert [thought.content.after for thought in graph.holding(Belief)] == [False]
