"""Deduplicate: drop questions that say the same, by the bi-encoder (table 1), and keep the graph narrow."""

from collections.abc import Sequence

from system.case import Case
from system.thoughts import Pruned, Question, Thought


async def deduplicate(
    case: Case, questions: Sequence[Thought[Question]], against: Sequence[Thought[Question]] = ()
) -> list[Thought[Question]]:
    """Keep the questions that are no near-duplicate of an earlier one, at most ``branches`` of them.

    Args:
        against: questions asked before; a near-duplicate of one of them is dropped too.

    Returns:
        The kept questions in their order. Every dropped one gets a child of kind PRUNED that says why.
    """
    candidates = [*against, *questions]
    vectors = await case.embed("deduplicate", [thought.content.text for thought in candidates])
    similarity = (vectors @ vectors.T).round(4)
    kept = list(range(len(against)))
    for i, question in enumerate(questions, start=len(against)):
        closest = max(kept, key=lambda j: similarity[i, j], default=None)
        if closest is not None and similarity[i, closest] >= case.settings.graph.duplicate:
            _prune(case, "near-duplicate", [question, candidates[closest]], float(similarity[i, closest]))
        elif len(kept) - len(against) == case.settings.graph.branches:
            _prune(case, "beyond the width of the graph", [question], 0.0)
        else:
            kept.append(i)
    return [candidates[i] for i in kept[len(against) :]]


def _prune(case: Case, reason: str, parents: Sequence[Thought[Question]], similarity: float) -> None:
    case.graph.add(Pruned(reason=reason, similarity=similarity), parents, "deduplicate")
