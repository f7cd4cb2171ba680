"""Graph of Thoughts (Rolinger and Liu, 2025, figures 1 and 2).

Ask several questions and drop near-duplicates; each one left is a branch. A branch retrieves passages, answers from
each alone, verifies (optional), merges the answers and judges the claim; while it finds Not Enough Evidence it asks
again. The verdicts of the branches are merged by majority, or where they disagree by a debate (``moderation``).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.operations.ask import ask_first, ask_next
from system.operations.deduplicate import deduplicate
from system.operations.judge import judge
from system.operations.look_up import look_up
from system.operations.vote import hold_to_evidence, vote
from system.records import Label, QuestionAnswer, Verdict
from system.strategies.moderation import settle
from system.thoughts import Question, Thought

ROUND = ("ask", "deduplicate", "retrieve", "answer", "verify", "merge", "judge")


@dataclass
class Branch:
    """One line of questions and what became of it."""

    questions: list[Thought[Question]]
    pairs: list[Thought[QuestionAnswer]] = field(default_factory=list)
    verdict: Thought[Verdict] | None = None

    @property
    def label(self) -> Label | None:
        """The label of the latest verdict, None before the first."""
        return self.verdict.content.label if self.verdict else None


async def got(case: Case) -> Outcome:
    """Check a claim with a graph of thoughts."""
    branches: list[Branch] = []
    try:
        questions = await deduplicate(case, await ask_first(case))
        branches = [Branch([question]) for question in questions]
        async with asyncio.TaskGroup() as group:  # a fault in one branch stops the others
            for branch in branches:
                group.create_task(explore(case, branch))
    except DeadlineExpired:  # before there were branches: nothing was learnt
        pass
    return _outcome(case, await merge_verdicts(case, branches), branches)


async def merge_verdicts(case: Case, branches: Sequence[Branch]) -> Thought[Verdict]:
    """One verdict of those of the branches: by debate where they disagree, or always by vote."""
    verdicts = [branch.verdict for branch in branches if branch.verdict]
    if case.settings.graph.debate:
        return await settle(case, verdicts, [pair for branch in branches for pair in branch.pairs])
    return vote(case, verdicts)


async def explore(case: Case, branch: Branch) -> None:
    """Question rounds of one branch, until its verdict is conclusive, the depth is reached or the time is up."""
    judged = 0
    try:
        for remaining in reversed(range(case.settings.graph.depth)):
            branch.pairs.append(await look_up(case, branch.questions[-1]))
            branch.verdict = await judge(case, branch.pairs) or branch.verdict
            judged = len(branch.pairs)
            if branch.label is not Label.NOT_ENOUGH_EVIDENCE or not remaining or not case.affords(*ROUND):
                return
            if not await ask_again(case, branch):
                return
    except DeadlineExpired:
        if judged < len(branch.pairs):
            await judge_in_reserve(case, branch)


async def ask_again(case: Case, branch: Branch) -> bool:
    """Add a question to a branch that found not enough; False when nothing new is asked."""
    assert branch.verdict is not None
    question = await ask_next(case, branch.pairs, branch.verdict)
    if question is None or not await deduplicate(case, [question], branch.questions):
        return False
    branch.questions.append(question)
    return True


async def judge_in_reserve(case: Case, branch: Branch) -> None:
    """The best verdict so far, in the time that was kept for it."""
    try:
        branch.verdict = await judge(case, branch.pairs, final=True) or branch.verdict
    except DeadlineExpired:
        return  # the verdict of the round before stands; the case is marked as cut short


def _outcome(case: Case, verdict: Thought[Verdict], branches: list[Branch]) -> Outcome:
    winner = verdict.content.label
    ordered = sorted(branches, key=lambda branch: branch.label is not winner)
    pairs = [pair.content for branch in ordered for pair in branch.pairs]
    pairs.sort(key=lambda pair: not pair.answered)
    return Outcome(
        verdict=hold_to_evidence(case, verdict.content, pairs),
        pairs=tuple(pairs),
        rounds=max((len(branch.questions) for branch in branches), default=0),
        branches=len(branches),
    )
