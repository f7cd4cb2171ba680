"""Look up: everything between a question and its merged answer."""

from system.case import Case
from system.operations.answer import answer
from system.operations.merge import merge
from system.operations.retrieve import retrieve
from system.operations.verify import verify
from system.records import QuestionAnswer
from system.thoughts import Question, Thought


async def look_up(case: Case, question: Thought[Question]) -> Thought[QuestionAnswer]:
    """Retrieve, answer, verify and merge for one question."""
    evidence = await retrieve(case, question)
    answers = await answer(case, question, evidence)
    if case.settings.graph.verification and case.affords("verify", "merge", "judge"):
        answers = await verify(case, question, answers)
    return await merge(case, question, answers)
