"""Graph of Thoughts (Rolinger and Liu, 2025, figures 1 and 2).

Ask several questions and drop near-duplicates; each one left is a branch. In each round a branch retrieves passages,
answers from each alone, verifies (optional), merges the answers and judges the claim; branches that find Not Enough
Evidence ask again, unless a majority agrees that they can no longer change. The verdicts of the branches are merged by
majority, or where they disagree by a debate.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from system.case import Case, Outcome, Step
from system.deadline import DeadlineExpired
from system.graph.records import Label, QuestionAnswer, Verdict
from system.graph.thoughts import Hypothetical, Question, Thought
from system.settings import DebateSettings, GraphSettings, Settings
from system.strategies.base import strategy
from system.strategies.debate.steps import resolve_disagreement
from system.strategies.debate.tasks import Argue, CloseDebate, Moderate
from system.strategies.steps.evidence import answer_question, answered_so_far, prepare
from system.strategies.steps.options import GotOptions, got_options
from system.strategies.steps.questions import ask_next, first_questions
from system.strategies.steps.tasks import (
    AnswerQuestion,
    AskQuestion,
    JudgeClaim,
    MergeAnswers,
    VerifyAnswer,
    WritePassage,
)
from system.strategies.steps.verdict import has_majority, judge, outcome, vote
from system.tasks.base import Reply, Task

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


def asks(settings: Settings) -> Iterator[type[Task[Reply]]]:
    """The tasks of the steps below."""
    graph = settings.graph
    yield from (AskQuestion, AnswerQuestion, MergeAnswers, JudgeClaim)
    yield from (VerifyAnswer,) if graph.verification else ()
    yield from (Argue, Moderate, CloseDebate) if graph.debate else ()
    yield from (WritePassage,) if settings.options.get("hypothetical") else ()


@strategy(
    asks=asks,
    searching=True,
    uses=(*GraphSettings.model_fields, *DebateSettings.model_fields),
    options=GotOptions,
)
async def got(case: Case) -> Outcome:
    """Check a claim with a graph of thoughts."""
    branches: list[Branch] = []
    with suppress(DeadlineExpired):  # what was learned until then is merged all the same
        await hypothesize(case, got_options(case).hypothetical)
        branches = [Branch([question]) for question in await first_questions(case)]
        await explore(case, branches)
    verdict = await merge_verdicts(case, branches)
    rounds = max((len(branch.questions) for branch in branches), default=0)
    return replace(outcome(case, verdict), rounds=rounds, branches=len(branches))


async def hypothesize(case: Case, number: int) -> None:
    """Have the model write passages on the claim, which lead every later search (HyDE; HerO has eight).

    They are no evidence, and no task shows them.
    """
    if not number:
        return
    tasks = [WritePassage(claim=case.claim, agent=agent) for agent in range(number)]
    steps = [Step(task, lambda result: Hypothetical(text=result.reply.passage), [case.graph.root]) for task in tasks]
    if written := [thought.content.text for thought in await case.think("hypothesize", steps) if thought]:
        await case.stopwatch.within_deadline("retrieve", lambda: asyncio.to_thread(case.index.expand, written))


async def explore(case: Case, branches: Sequence[Branch]) -> None:
    """Question rounds, until all or most branches have a conclusive verdict, at the depth, or when the time is up.

    The branches go through a round together, so that none asks what another has just asked.
    """
    going = branches
    for remaining in reversed(range(case.settings.graph.depth)):
        await prepare(case, [branch.questions[-1].content.text for branch in going])
        async with asyncio.TaskGroup() as group:  # a fault in one branch stops the others
            for branch in going:
                group.create_task(run_round(case, branch))
        going = [branch for branch in going if branch.label is Label.NOT_ENOUGH_EVIDENCE]
        decided = case.settings.graph.stop_early and has_majority(_verdicts(branches), len(branches))
        if not going or not remaining or decided or not case.stopwatch.has_time_for(*ROUND):
            return
        going = await ask_again(case, going)


async def run_round(case: Case, branch: Branch) -> None:
    """A round of a branch; where the deadline ends it, what was learned is judged in the reserve."""
    judged = len(branch.pairs)
    try:
        branch.pairs.append(await answer_question(case, branch.questions[-1]))
        branch.verdict = await judge(case, branch.pairs) or branch.verdict
    except DeadlineExpired:
        branch.pairs = answered_so_far(case, branch.questions)
        if judged < len(branch.pairs):
            with suppress(DeadlineExpired):  # the verdict of the round before stands; the case is marked as timed out
                branch.verdict = await judge(case, branch.pairs, final=True) or branch.verdict


async def ask_again(case: Case, branches: Sequence[Branch]) -> list[Branch]:
    """Add a question to each branch; returns those for which there was a new one."""
    asked = await ask_next(case, [[branch.verdict, *branch.pairs] for branch in branches if branch.verdict])
    for branch, question in zip(branches, asked, strict=True):
        branch.questions += [question] if question else []
    return [branch for branch, question in zip(branches, asked, strict=True) if question]


async def merge_verdicts(case: Case, branches: Sequence[Branch]) -> Thought[Verdict]:
    """One verdict for all branches: by debate where they disagree, by a judgement of what they found, or by vote."""
    pairs = [pair for branch in branches for pair in branch.pairs]
    verdicts = _verdicts(branches)
    if case.settings.graph.debate and (verdict := await resolve_disagreement(case, verdicts, pairs)):
        return verdict
    answered = any(pair.content.answered for pair in pairs)
    if case.settings.model.backend == "extractive" and verdicts and answered:  # one answer tells it little
        with suppress(DeadlineExpired):  # the branches vote; the case is marked as timed out
            if verdict := await judge(case, pairs, verdicts):
                return verdict
    return vote(case, verdicts)


def _verdicts(branches: Sequence[Branch]) -> list[Thought[Verdict]]:
    return [branch.verdict for branch in branches if branch.verdict]
