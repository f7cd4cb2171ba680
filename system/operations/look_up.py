"""Look up: everything between a question and its merged answer."""

import asyncio

from system.case import Case
from system.deadline import DeadlineExpired
from system.operations.answer import answer
from system.operations.merge import merge
from system.operations.retrieve import retrieve
from system.operations.verify import verify
from system.records import QuestionAnswer
from system.thoughts import Question, Thought


async def look_up(case: Case, question: Thought[Question], query: str = "") -> Thought[QuestionAnswer]:
    """Retrieve, answer, verify and merge for one question.

    Args:
        query: what to search for; the question itself where it is empty.
    """
    evidence = await retrieve(case, question, query)
    answers = await answer(case, question, evidence)
    if case.settings.graph.verification and case.affords("verify", "merge", "judge"):
        answers = await verify(case, question, answers)
    return await merge(case, question, answers)


async def look_up_all(case: Case, *questions: tuple[Thought[Question], str]) -> list[Thought[QuestionAnswer]]:
    """Look up several questions, each with its query, at once; those that the deadline cut off are left out."""

    async def found(question: Thought[Question], query: str) -> Thought[QuestionAnswer] | None:
        try:
            return await look_up(case, question, query)
        except DeadlineExpired:
            return None

    async with asyncio.TaskGroup() as group:  # a fault in one stops the others
        running = [group.create_task(found(question, query)) for question, query in questions]
    return [pair for task in running if (pair := task.result())]
