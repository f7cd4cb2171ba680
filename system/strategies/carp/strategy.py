"""CARP (Lo et al., 2026, figure 1): decompose, plan, retrieve by phases, teams for and against, a moderator."""

from system.case import Case, Outcome
from system.graph.records import QuestionAnswer, Verdict
from system.graph.thoughts import Thought
from system.strategies.base import options_of, strategy
from system.strategies.carp.records import CarpOptions, Plan, Stance, Subclaims
from system.strategies.carp.steps import (
    correct_themselves,
    decide_between_teams,
    decompose,
    follow,
    graph_claim,
    plan,
    refine,
    state_cases,
)
from system.strategies.steps.evidence import gather, share_evidence
from system.strategies.steps.verdict import conclude

Pairs = list[Thought[QuestionAnswer]]


@strategy(uses=("verification", "debate", "evidence"), options=CarpOptions)
async def carp(case: Case) -> Outcome:
    """Check a claim by its subclaims, with teams of agents that argue against each other."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    subclaims, the_plan = await analyze(case)
    retrieves = case.settings.debate.evidence == "retrieved"
    pairs: Pairs = [] if retrieves else await gather(case)
    record: list[Thought[Stance]] = []
    for phase in the_plan.content.phases:
        pairs.extend(await follow(case, subclaims, the_plan, phase) if retrieves else ())
        if case.settings.graph.debate:
            record.extend(await state_cases(case, share_evidence(case, pairs), subclaims, phase, record))
    if record and options_of(case, CarpOptions).self_correction and case.stopwatch.has_time_for("state", "state"):
        record.extend(await correct_themselves(case, share_evidence(case, pairs), the_plan, record))
    return await decide_between_teams(case, share_evidence(case, pairs), subclaims, the_plan, record)


async def analyze(case: Case) -> tuple[Thought[Subclaims], Thought[Plan]]:
    """Claim decomposer and verification planner."""
    subclaims = await decompose(case)
    if not options_of(case, CarpOptions).claim_graph:
        return subclaims, await plan(case, subclaims, None)
    graph = await graph_claim(case, subclaims)
    refined = await refine(case, subclaims, graph)
    return refined, await plan(case, refined, graph)
