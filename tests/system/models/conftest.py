"""One tiny model for all tests of the backends, and a task of every kind."""

from pathlib import Path
from types import ModuleType

import pytest

from knowledge_store.pages.page import Passage
from system.graph.records import Answer, AnswerType, Claim, QuestionAnswer, Source
from system.strategies.steps.tasks import AnswerQuestion, AskQuestion, JudgeClaim, MergeAnswers, VerifyAnswer
from system.tasks.base import Adapter, Reply, Task
from tests.helpers.every_task import agent_tasks


@pytest.fixture(scope="session")
def tiny_adapters(maker: ModuleType, tiny_model: Path) -> dict[Adapter, str]:
    return {Adapter(name): str(tiny_model / name) for name in maker.ADAPTERS}


@pytest.fixture(scope="session")
def tasks() -> dict[str, Task[Reply]]:
    """One task of every kind of the graph of thoughts, and a second question with context, by name."""
    claim = Claim(id=0, text="The bridge at Oldmarsh cost nine million.", date="2-3-2021", speaker="A. Reeve")
    passages = [
        Passage(text=text, url=f"https://example.org/{page}", page=page, start=0)
        for page, text in enumerate(["The council paid 4.2 million dollars for it.", 'She said: "It was dear."'])
    ]
    answers = tuple(
        Answer(text=text, type=AnswerType.ABSTRACTIVE, source=Source.EVIDENCE, passage=passage)
        for text, passage in zip(["4.2 million dollars", "It was expensive."], passages, strict=True)
    )
    question = "What did the bridge at Oldmarsh cost?"
    pair = QuestionAnswer(question=question, answer="4.2 million dollars", answers=answers[:1])
    return {
        "first_question": AskQuestion(claim=claim, context=(), index=0),
        "next_question": AskQuestion(claim=claim, context=(pair,), index=0),
        "answer": AnswerQuestion(claim=claim, question=question, passage=passages[0]),
        "verify": VerifyAnswer(claim=claim, question=question, answer=answers[0]),
        "merge": MergeAnswers(claim=claim, question=question, answers=answers),
        "judge": JudgeClaim(claim=claim, pairs=(pair,)),
    }


@pytest.fixture(scope="session")
def every_task(tasks: dict[str, Task[Reply]]) -> dict[str, Task[Reply]]:
    """Tasks of all kinds by name, over the passages of those of the graph."""
    evidence = tuple(answer.passage for answer in tasks["merge"].answers)
    return tasks | agent_tasks(tasks["judge"].claim, tasks["judge"].pairs[0], evidence)
