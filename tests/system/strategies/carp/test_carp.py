"""CARP with a scripted model: the paper's protocol, its ablations, and what hostile or malformed replies can do."""

import orjson
import pytest

from system.deadline import DeadlineExpired
from system.graph.records import Label
from system.graph.thoughts import Question
from system.models.base import RoutedModel
from system.models.prompting import render
from system.strategies.carp.tasks import (
    TEAMS,
    CorrectOneself,
    DecideBetweenTeams,
    DecomposeClaim,
    GraphClaim,
    Plan,
    PlanVerification,
    RefineSubclaims,
    Stance,
    StateCase,
    Subclaims,
)
from system.strategies.steps.tasks import JudgeClaim
from tests.helpers.bridge import BROKEN, CLAIM, asked, ran
from tests.helpers.by_strategy.carp import CLAIM_GRAPH, REFINED, SUBCLAIMS, plan_of, stated
from tests.helpers.scripted import ScriptedModel

CARP_TASKS = (
    DecomposeClaim, GraphClaim, RefineSubclaims, PlanVerification, StateCase, CorrectOneself, DecideBetweenTeams,
)  # fmt: skip


@pytest.fixture
def carp_case(make_case):
    """A case with debate on and drafts off, so that every request is asked once; keyword arguments change settings."""
    once = {"strategy": "carp", "graph__debate": True, "options__drafts": False}
    return lambda **changes: make_case(**{**once, **changes})


def test_the_components_of_figure_1_in_their_order(carp_case):
    case, outcome = ran(carp_case())
    assert outcome.verdict.label is Label.SUPPORTED and not case.failures
    assert [type(request.task) for request in case.model.requests if isinstance(request.task, CARP_TASKS)] == [
        DecomposeClaim, GraphClaim, RefineSubclaims, PlanVerification, *[StateCase] * 8, *[CorrectOneself] * 4,
        DecideBetweenTeams,
    ]  # fmt: skip
    parents = {"s1": ("claim",), "s1.g1": ("s1",), "s1.s1": ("s1", "s1.g1"), "s1.s1.l1": ("s1.s1", "s1.g1")}
    assert {name: case.graph[name].parents for name in parents} == parents
    assert [(q.parents, q.content.text) for q in case.graph.holding(Question)] == [
        (("s1.s1", "s1.s1.l1"), "Is it true that a bridge over the Aster exists?"),
        (("s1.s1", "s1.s1.l1"), "Is it true that the Aster bridge opened in 1932?"),
    ]
    corrected = [t for t in case.graph.holding(Stance) if t.content.phase == 0]
    assert all(set(t.parents) == {f"t{n}" for n in range(1, 9)} for t in corrected)
    assert set(case.graph["v1"].parents) >= {"s1.s1", "s1.s1.l1", *(f"t{n}" for n in range(1, 13))}
    (refine,) = asked(case, RefineSubclaims)
    assert (refine.subclaims, refine.graph) == (SUBCLAIMS, CLAIM_GRAPH)
    assert '"a bridge over the Aster; it"' in render(refine, adapter=False)[1]["content"]
    assert asked(case, PlanVerification)[0].subclaims == REFINED


def test_phases_run_in_order_evidence_accumulates_and_teams_read_each_other(carp_case):
    case, _ = ran(carp_case())
    states = asked(case, StateCase)
    assert [(task.phase.id, len(task.pairs), len(task.said)) for task in states] == [(1, 1, 0)] * 4 + [(2, 2, 1)] * 4
    assert all((s.team, s.agent) == (task.team, task.agent) for task in states for s in task.said)
    for task in asked(case, CorrectOneself):
        assert {stance.team for stance in task.own} == {task.team} != {stance.team for stance in task.opposing}
    stances = [thought.content for thought in case.graph.holding(Stance)]
    changed = {(s.team, s.agent): s.changed for s in stances if s.phase == 0}
    assert changed == {(team, agent): team == "support" for team in TEAMS for agent in (0, 1)}
    (decide,) = asked(case, DecideBetweenTeams)
    assert len(decide.statements) == 12 and decide.plan.resolution == "Both must hold."
    assert "changed" in render(decide, adapter=False)[1]["content"]


def test_the_subclaims_of_a_phase_are_looked_up_together(carp_case, answers):
    question = "What is a bridge?"
    answers.replace[PlanVerification] = lambda _: plan_of([[1, 2]], derived=question)
    case, _ = ran(carp_case())
    texts = [q.content.text for q in case.graph.holding(Question)]
    assert len(texts) == 3 and texts.count(question) == 1
    assert {task.phase.id for task in asked(case, StateCase)} == {1}


def test_a_mixed_record_counts_as_refuting(carp_case, answers):
    answers.replace[StateCase] = lambda r: stated("REFUTE" if r.task.phase.id == 1 else "SUPPORT")
    case, _ = ran(carp_case())
    assert not any(thought.content.changed for thought in case.graph.holding(Stance))


@pytest.mark.parametrize(
    ("changes", "gone"),
    [
        ({"options__claim_graph": False}, (GraphClaim, RefineSubclaims)),
        ({"options__self_correction": False}, (CorrectOneself,)),
        ({"graph__debate": False}, (StateCase, CorrectOneself)),
        ({"options__multi_hop": False}, ()),
    ],
)
def test_ablations_leave_out_what_they_name_and_nothing_else(carp_case, changes, gone):
    case, outcome = ran(carp_case(**changes))
    assert outcome.verdict.label is Label.SUPPORTED and not case.failures
    assert {task for task in CARP_TASKS if asked(case, task)} == set(CARP_TASKS) - set(gone)


@pytest.mark.parametrize("task", [DecomposeClaim, GraphClaim, RefineSubclaims, PlanVerification, StateCase])
def test_a_component_that_fails_is_replaced_by_the_simplest_one(carp_case, answers, task):
    answers.replace[task] = lambda _: BROKEN
    case, outcome = ran(carp_case())
    assert outcome.verdict.label is Label.SUPPORTED and outcome.pairs
    assert {failure.message for failure in case.failures} == {"backend error: expected a reply, got none"}
    if task is DecomposeClaim:
        assert case.graph["s1"].content.subclaims == (CLAIM.text,)


@pytest.mark.parametrize("phases", [[[1]], [[1, 2, 3]]])
def test_a_plan_that_misses_subclaims_is_not_followed(carp_case, answers, phases):
    answers.replace[PlanVerification] = lambda _: plan_of(phases)
    case, _ = ran(carp_case())
    assert "expected a plan with steps for subclaims 1 to 2" in case.failures[0].message
    (plan,) = case.graph.holding(Plan)
    assert [step.subclaim for step in plan.content.phases[0].steps] == [1, 2]


@pytest.mark.parametrize("change", [{"id": 2}, {"depends_on": [1]}, {"steps": []}])
def test_a_plan_out_of_order_is_malformed_and_retried_once(carp_case, answers, change):
    plan = plan_of([[1, 2]]).model_dump(mode="json")
    plan["phases"][0].update(change)
    answers.replace[PlanVerification] = lambda r: orjson.dumps(plan).decode() if r.seed == 1 else None
    case, _ = ran(carp_case())
    assert len(asked(case, PlanVerification)) == 2 and not case.failures
    assert case.cost().calls == len(case.model.requests)


def test_refinement_that_loses_a_subclaim_is_dropped(carp_case, answers):
    answers.replace[RefineSubclaims] = lambda _: Subclaims(subclaims=("One.",))
    case, _ = ran(carp_case())
    assert asked(case, PlanVerification)[0].subclaims == SUBCLAIMS
    assert "expected 2 subclaims" in case.failures[0].message


def test_one_model_drafts_and_revises_its_own_reply(carp_case):
    case, _ = ran(carp_case(options__drafts=True))
    draft, revision = asked(case, DecomposeClaim)
    assert draft.drafts == () and [reply.subclaims for reply in revision.drafts] == [SUBCLAIMS]
    prompt = render(revision, adapter=False)[1]["content"]
    assert prompt.index("You have drafted") > prompt.index("Claim:") and "A bridge over the Aster exists" in prompt
    assert [task.agent for task in asked(case, StateCase)[:8]] == [0, 1, 0, 1] * 2


def test_a_draft_stands_if_the_time_for_its_revision_runs_out(carp_case, answers):
    def late(request):
        if request.task.drafts:
            raise DeadlineExpired

    answers.replace[DecideBetweenTeams] = late
    case, outcome = ran(carp_case(options__drafts=True))
    assert outcome.verdict.label is Label.SUPPORTED and not asked(case, JudgeClaim)


def test_several_models_draft_and_the_first_merges_the_drafts(carp_case):
    case, _ = ran(carp_case(options__drafts=True, model__other_models=["second"]))
    first, second, final = asked(case, PlanVerification)
    assert [task.agent for task in (first, second, final)] == [0, 1, 0]
    assert len(final.drafts) == 2 and "independently" in render(final, adapter=False)[1]["content"]
    stated = [(task.agent, len(task.drafts)) for task in asked(case, StateCase)[:12]]  # two drafts of each agent
    assert stated == [(agent, 0) for agent in (0, 1, 1, 2) * 2] + [(agent, 2) for agent in (0, 1) * 2]
    assert {request.temperature for request in case.model.requests if request.task.agent < 2} == {0.0}


def test_agents_of_a_team_have_their_own_models(carp_case, answers):
    models = [ScriptedModel(answers), ScriptedModel(answers)]
    case = carp_case()
    case.model = RoutedModel(models)
    ran(case)
    for agent, model in enumerate(models):
        stated = [request.task for request in model.requests if isinstance(request.task, StateCase)]
        assert [(task.team, task.agent) for task in stated] == [(team, agent) for team in TEAMS] * 2
    assert not [r for r in models[1].requests if isinstance(r.task, DecomposeClaim | DecideBetweenTeams)]
