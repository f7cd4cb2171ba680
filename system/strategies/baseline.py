"""Baseline: the shared task's own order: retrieve for the claim, a question for each passage, a verdict."""

from system.case import Case, Outcome
from system.operations.baselines import ask_of_passages
from system.operations.evidence import retrieve
from system.operations.verdict import conclude, judge
from system.records import Verdict
from system.thoughts import Thought


async def baseline(case: Case) -> Outcome:
    """Check a claim against the passages that are nearest to it."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    return await judge(case, await ask_of_passages(case, await retrieve(case, case.graph.root)))
