"""Retrieve: the passages for a question (section 3.2.2)."""

from system.case import Case
from system.records import Claim, Cost
from system.thoughts import Evidence, Question, Thought


async def retrieve(
    case: Case, question: Thought[Question] | Thought[Claim], query: str = ""
) -> list[Thought[Evidence]]:
    """Find the passages that may answer a question, or bear on the claim itself, best first.

    Args:
        query: what to search for; the question itself where it is empty.
    """
    started = case.deadline.spent
    hits = await case.search(query or question.content.text)
    costs = [Cost(seconds=case.deadline.spent - started)] + [Cost()] * len(hits)
    return [
        case.graph.add(Evidence(passage=hit.passage, score=hit.score), [question], "retrieve", cost)
        for hit, cost in zip(hits, costs, strict=False)
    ]
