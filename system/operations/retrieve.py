"""Retrieve: the passages for a question, in one step (section 3.2.2) or by several hops (CARP, section 3.4)."""

import asyncio
from functools import partial

from knowledge_store.dense.search import search
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
    settings = case.settings
    text, hops = query or question.content.text, settings.multi_hop if settings.by_hops else None
    find = partial(search, case.index, text, settings.retrieval.top_k, hops)
    hits = await case.within_deadline("retrieve", lambda: asyncio.to_thread(find))
    costs = [Cost(seconds=case.deadline.spent - started)] + [Cost()] * len(hits)
    return [
        case.graph.add(Evidence(passage=hit.passage, score=hit.score), [question], "retrieve", cost)
        for hit, cost in zip(hits, costs, strict=False)
    ]
