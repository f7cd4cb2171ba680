"""Baseline: the shared task's own order: retrieve for the claim, a question for each passage, a verdict."""

from system.case import Case, Outcome
from system.models.base import ModelError
from system.operations.conclude import conclude
from system.operations.judge import judge
from system.operations.retrieve import retrieve
from system.records import Answer, AnswerType, QuestionAnswer, Source, Verdict
from system.tasks.baselines import AskOfPassage
from system.thoughts import Evidence, Question, Thought


async def baseline(case: Case) -> Outcome:
    """Check a claim against the passages that are nearest to it."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    return await judge(case, await ask_of_passages(case, await retrieve(case, case.graph.root)))


async def ask_of_passages(case: Case, evidence: list[Thought[Evidence]]) -> list[Thought[QuestionAnswer]]:
    """Each passage with the question that it answers; the passage itself is the answer."""
    tasks = [AskOfPassage(claim=case.claim, passage=thought.content.passage) for thought in evidence]
    pairs = []
    for thought, result in zip(evidence, await case.generate("ask", tasks), strict=True):
        if isinstance(result, ModelError):
            case.fail("ask", result, [thought])
            continue
        passage = thought.content.passage
        text = result.reply.question.strip()
        question = case.graph.add(Question(text=text), [thought], "ask", result.cost)
        answer = Answer(text=passage.text, type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=passage)
        pair = QuestionAnswer(question=text, answer=passage.text, answers=(answer,))
        pairs.append(case.graph.add(pair, [question, thought], "ask"))
    return pairs
