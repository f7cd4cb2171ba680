"""Judge: an intermediate verdict from the pairs of a branch (section 3.2.4)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.records import Content, QuestionAnswer, Verdict
from system.tasks.judge_claim import JudgeClaim
from system.thoughts import ROOT, Thought


async def judge(
    case: Case, pairs: Sequence[Thought[QuestionAnswer]], *, final: bool = False
) -> Thought[Verdict] | None:
    """Judge the claim by the questions and answers of a branch.

    Args:
        final: whether this is the last judgement, which may use the reserve of the budget.

    Returns:
        The verdict, or None when the model failed.
    """
    parents: list[Thought[Content]] = [*reversed(pairs)]
    parents = parents or [case.graph.root]
    task = JudgeClaim(claim=case.claim, pairs=tuple(pair.content for pair in pairs))
    (result,) = await case.generate("judge", [task], final=final)
    if isinstance(result, ModelError):
        case.fail("judge", result, parents)
        return None
    verdict = Verdict(
        label=result.reply.label, justification=result.reply.justification.strip(), confidence=result.confidence
    )
    return case.graph.add(verdict, parents, "judge", result.cost, under=_round(case, pairs))


def _round(case: Case, pairs: Sequence[Thought[QuestionAnswer]]) -> Thought[Content]:
    """The question of the latest round, under which its verdict is named; the claim where nothing was asked."""
    return case.graph[pairs[-1].id.rpartition(".")[0] or ROOT] if pairs else case.graph.root
