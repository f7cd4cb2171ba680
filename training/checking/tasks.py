"""Tasks that an adapter serves, made of the bundled example claims and their annotations."""

from collections.abc import Iterator
from pathlib import Path

import system
from knowledge_store.pages.page import Passage
from system.gold import GoldClaim, read_gold
from system.records import QuestionAnswer
from system.speech import Argument, Speaker
from system.tasks.answer_question import AnswerQuestion
from system.tasks.ask_question import AskQuestion
from system.tasks.base import Adapter, Reply, Task
from system.tasks.debate import CloseDebate, Moderate
from system.tasks.judge_claim import JudgeClaim

EXAMPLES = Path(system.__file__).parent / "examples" / "claims.json"


def example_tasks(adapter: Adapter, count: int) -> list[Task[Reply]]:
    """Tasks of an adapter, of at most ``count`` claims; those of a moderator are about debates of two quotations."""
    return [task for example in read_gold(EXAMPLES)[:count] for task in _tasks(adapter, example)]


def reply_types(adapter: Adapter) -> set[type[Reply]]:
    """What the tasks of an adapter may be answered with."""
    return {task.reply_type for task in example_tasks(adapter, 1)}


def _tasks(adapter: Adapter, example: GoldClaim) -> Iterator[Task[Reply]]:
    claim, pairs, passages = example.claim, _pairs(example), _passages(example)
    match adapter:
        case Adapter.QUESTION_GENERATION:
            yield AskQuestion(claim=claim, context=pairs[:1], index=0, seed_passages=())
        case Adapter.QUESTION_ANSWERING:
            yield AnswerQuestion(claim=claim, question=pairs[0].question, passage=passages[0])
        case Adapter.VERDICT_PREDICTION:
            yield JudgeClaim(claim=claim, pairs=pairs)
        case Adapter.MODERATOR:
            body = {"claim": claim, "pairs": pairs, "evidence": passages, "transcript": _debate(passages)}
            yield Moderate(**body, rulings=())
            yield CloseDebate(**body, rulings=())
        case Adapter.NONE:
            return


def _pairs(example: GoldClaim) -> tuple[QuestionAnswer, ...]:
    return tuple(QuestionAnswer(question=answer.question, answer=answer.text, answers=()) for answer in example.answers)


def _passages(example: GoldClaim) -> tuple[Passage, ...]:
    return tuple(
        Passage(text=answer.explanation or answer.text, url=answer.url, page=number, start=0)
        for number, answer in enumerate(example.answers)
    )


def _debate(passages: tuple[Passage, ...]) -> tuple[Argument, ...]:
    return tuple(
        Argument(speaker=speaker, round=1, text=passage.text, passages=(passage,))
        for speaker, passage in zip((Speaker.AFFIRMATIVE, Speaker.NEGATIVE), (passages[0], passages[-1]), strict=True)
    )
