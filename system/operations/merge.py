"""Merge: one answer to a question from those of its passages (table 1)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import Completion, ErrorKind, ModelError
from system.records import NO_ANSWER, Answer, Cost, QuestionAnswer
from system.tasks.merge_answers import MergeAnswers
from system.thoughts import Question, Thought


async def merge(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> Thought[QuestionAnswer]:
    """Merge the answers to one question.

    Passages that do not answer are left out. With nothing left the question stays unanswered, and a single answer
    stands as it is: neither needs the model. When merging fails, the answer of the best passage stands.
    """
    found = [thought.content for thought in answers if thought.content.answered]
    if len(found) < 2:
        text = found[0].text if found else NO_ANSWER
        pair, cost = QuestionAnswer(question=question.content.text, answer=text, answers=tuple(found)), Cost()
    else:
        pair, cost = await _merge(case, question, found)
    return case.graph.add(pair, [*answers] or [question], "merge", cost, under=question)


async def _merge(case: Case, thought: Thought[Question], found: list[Answer]) -> tuple[QuestionAnswer, Cost]:
    question = thought.content.text
    task = MergeAnswers(claim=case.claim, question=question, answers=tuple(found))
    (result,) = await case.generate("merge", [task])
    if isinstance(result, Completion):
        numbers = dict.fromkeys(result.reply.sources)
        if all(1 <= number <= len(found) for number in numbers):
            sources = tuple(found[number - 1] for number in numbers)
            return QuestionAnswer(question=question, answer=result.reply.answer.strip(), answers=sources), result.cost
        result = ModelError(
            ErrorKind.MALFORMED_REPLY,
            f"expected source numbers from 1 to {len(found)}, got {list(numbers)}",
            result.cost,
            result.prompt,
            result.raw,
        )
    case.fail("merge", result, [thought])
    return QuestionAnswer(question=question, answer=found[0].text, answers=(found[0],)), Cost()
