"""Answer: what each piece of evidence says to the question, on its own (section 3.2.3)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.records import Answer
from system.tasks.answer_question import AnswerQuestion
from system.thoughts import Evidence, Question, Thought


async def answer(
    case: Case, question: Thought[Question], evidence: Sequence[Thought[Evidence]]
) -> list[Thought[Answer]]:
    """Answer a question from each passage alone; passages that do not answer it are kept as such."""
    passages = [thought.content.passage for thought in evidence]
    tasks = [AnswerQuestion(claim=case.claim, question=question.content.text, passage=passage) for passage in passages]
    answers = []
    for thought, passage, result in zip(evidence, passages, await case.generate("answer", tasks), strict=True):
        if isinstance(result, ModelError):
            case.fail("answer", result, [thought])
        else:
            reply = result.reply
            content = Answer(text=reply.answer.strip(), type=reply.type, source=reply.source, passage=passage)
            answers.append(case.graph.add(content, [thought], "answer", result.cost))
    return answers
