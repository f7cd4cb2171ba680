"""The baselines' own protocols with a scripted model."""

import asyncio

from system.graph.records import Label
from system.graph.thoughts import Evidence, Speaker
from system.models.prompting import render
from system.strategies import STRATEGIES
from system.strategies.baselines.tasks import AskOfPassage, CarryOut, Instruct, InstructionReply, VerifyClaim
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from tests.helpers.bridge import BROKEN, asked


def run(case, strategy):
    return asyncio.run(STRATEGIES[strategy](case))


def test_single_is_one_greedy_prompt(make_case):
    case = make_case()
    run(case, "single")
    (request,) = [r for r in case.model.requests if isinstance(r.task, VerifyClaim)]
    assert (request.temperature, request.task.transcript) == (0.0, ())
    assert case.graph["v1"].parents == ("q1.m1", "q2.m1")


def test_majority_is_a_vote_of_three_independent_agents(make_case, answers):
    labels = (Label.SUPPORTED, Label.REFUTED, Label.REFUTED)
    answers.replace[VerifyClaim] = lambda r: VerdictReply(justification="x", label=labels[r.task.agent])
    case = make_case()
    assert run(case, "majority").verdict.label is Label.REFUTED
    requests = [r for r in case.model.requests if isinstance(r.task, VerifyClaim)]
    assert [r.task.agent for r in requests] == [0, 1, 2]
    assert len({r.seed for r in requests}) == 3 and [r.temperature for r in requests] == [0.0, 0.7, 0.7]
    assert len({render(r.task, adapter=False)[1]["content"] for r in requests}) == 1
    assert case.graph["v4"].parents == ("v1", "v2", "v3")


def test_majority_survives_an_agent_that_fails(make_case, answers):
    answers.replace[VerifyClaim] = lambda r: BROKEN if r.task.agent == 0 else None
    case = make_case()
    assert run(case, "majority").verdict.label is Label.SUPPORTED
    assert [failure.operation for failure in case.failures] == ["reason"]


def test_cooperation_takes_turns_until_nothing_is_left_to_do(make_case):
    case = make_case()
    outcome = run(case, "cooperation")
    assert [len(task.transcript) for task in asked(case, Instruct)] == [0, 2]
    assert [len(task.transcript) for task in asked(case, CarryOut)] == [1]
    (final,) = asked(case, VerifyClaim)
    assert [said.speaker for said in final.transcript] == [Speaker.INSTRUCTOR, Speaker.ASSISTANT]
    assert case.graph["d2"].parents == ("q1.m1", "q2.m1", "d1")
    assert outcome.rounds == 1


def test_cooperation_is_bounded_by_the_rounds(make_case, answers):
    answers.replace[Instruct] = lambda _: InstructionReply(instruction="Look again.", done=False)
    case = make_case(debate__rounds=2)
    assert run(case, "cooperation").rounds == 2
    assert len(asked(case, CarryOut)) == 2


def test_baseline_asks_of_each_passage_found_for_the_claim(make_case):
    case = make_case()
    outcome = run(case, "baseline")
    evidence = case.graph.holding(Evidence)
    assert [thought.parents for thought in evidence] == [("claim",)] * 2
    assert [task.passage for task in asked(case, AskOfPassage)] == [thought.content.passage for thought in evidence]
    assert [pair.answer for pair in outcome.pairs] == [thought.content.passage.text for thought in evidence]
    (judged,) = asked(case, JudgeClaim)
    assert judged.pairs == outcome.pairs
