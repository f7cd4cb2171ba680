"""Draft, then revise (CARP, section 3.7)."""

from collections.abc import Sequence
from dataclasses import replace

from system.case import Case
from system.models.base import Completion, ModelError
from system.records import Cost
from system.tasks.base import R, Task

Results = list[Completion[R] | ModelError]


async def draft(case: Case, operation: str, tasks: Sequence[Task[R]], *, alone: bool = False) -> Results[R]:
    """Do tasks in two stages: drafts, then a final reply that sees them.

    With one model this is self-refinement: a draft and its revision. With several, each writes a draft on its own and
    the first makes one reply of them. Without time for the second stage, or if it fails, the first draft stands.

    Args:
        alone: each task belongs to one agent, who revises its own draft whatever other models there are.
    """
    if not case.settings.carp.drafts:
        return await case.generate(operation, tasks)
    writers = 1 if alone else 1 + len(case.settings.model.others)
    asked = [task.model_copy(update={"agent": task.agent + writer}) for task in tasks for writer in range(writers)]
    written = await case.generate(operation, asked)
    drafts = [written[start : start + writers] for start in range(0, len(written), writers)]
    if not case.affords(operation):
        return [_best(results) for results in drafts]
    revised = await case.generate(operation, [_with_drafts(task, d) for task, d in zip(tasks, drafts, strict=True)])
    return [_best([result, *results]) for result, results in zip(revised, drafts, strict=True)]


def _with_drafts(task: Task[R], results: Results[R]) -> Task[R]:
    replies = tuple(result.reply for result in results if isinstance(result, Completion))
    return task.model_copy(update={"drafts": replies})


def _best(results: Results[R]) -> Completion[R] | ModelError:
    """The first reply that is usable, with the cost of all of them."""
    best = next((result for result in results if isinstance(result, Completion)), results[0])
    return replace(best, cost=Cost.total(result.cost for result in results))
