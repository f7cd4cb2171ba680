"""CARP (Lo et al., 2026, figure 1): decompose, plan, retrieve by phases, teams for and against, a moderator."""

from system.case import Case, Outcome
from system.claim_analysis import Plan, Stance, Subclaims
from system.operations.carp import (
    correct_themselves,
    decide_between_teams,
    decompose,
    follow,
    graph_claim,
    plan,
    refine,
    state_cases,
)
from system.operations.evidence import exhibit
from system.operations.verdict import conclude, judge
from system.records import QuestionAnswer, Verdict
from system.thoughts import Thought

Pairs = list[Thought[QuestionAnswer]]


async def carp(case: Case) -> Outcome:
    """Check a claim by its subclaims, with teams of agents that argue against each other."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    subclaims, the_plan = await analyze(case)
    pairs: Pairs = []
    record: list[Thought[Stance]] = []
    for phase in the_plan.content.phases:
        pairs.extend(await follow(case, subclaims, the_plan, phase))
        if case.settings.graph.debate:
            record.extend(await state_cases(case, exhibit(case, pairs), subclaims, phase, record))
    if not record:
        return await judge(case, pairs)
    if case.settings.carp.self_correction and case.affords("state", "state"):
        record.extend(await correct_themselves(case, exhibit(case, pairs), record))
    return await decide_between_teams(case, exhibit(case, pairs), subclaims, the_plan, record)


async def analyze(case: Case) -> tuple[Thought[Subclaims], Thought[Plan]]:
    """Claim decomposer and verification planner."""
    subclaims = await decompose(case)
    if not case.settings.carp.claim_graph:
        return subclaims, await plan(case, subclaims, None)
    graph = await graph_claim(case, subclaims)
    refined = await refine(case, subclaims, graph)
    return refined, await plan(case, refined, graph)
