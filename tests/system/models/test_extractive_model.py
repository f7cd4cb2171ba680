"""The reader behind the seam to models: order, cost, and independence of what else is asked."""

import asyncio
import random
import threading

from system.models.base import Completion, ErrorKind, ModelError, Request
from system.models.extractive import ExtractiveModel
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.ask_question import AskQuestion
from system.strategies.steps.tasks.judge_claim import JudgeClaim
from system.strategies.steps.tasks.merge_answers import MergeAnswers
from system.strategies.steps.tasks.verify_answer import VerifyAnswer
from system.tasks.base import Reply, Task
from tests.helpers.bridge import CLAIM, PAGES, BagOfWords, passage
from tests.helpers.processes import PATIENCE
from tests.helpers.submission_factories import answer

PASSAGES = [passage(text, page=page) for page, (_, text) in enumerate(PAGES)]
ANSWERS = tuple(answer(one.text, cites=one) for one in PASSAGES)
TASKS: list[Task[Reply]] = [
    *(AskQuestion(claim=CLAIM, context=(), index=index) for index in range(3)),
    *(AnswerQuestion(claim=CLAIM, question="When did the bridge open?", passage=passage) for passage in PASSAGES),
    VerifyAnswer(claim=CLAIM, question="When did the bridge open?", answer=ANSWERS[0]),
    MergeAnswers(claim=CLAIM, question="When did the bridge open?", answers=ANSWERS),
]


def replies(model: ExtractiveModel, tasks: list[Task[Reply]]) -> list[tuple[Reply, float]]:
    results = asyncio.run(model.generate([Request(task) for task in tasks]))
    assert all(isinstance(result, Completion) for result in results)
    return [(result.reply, result.confidence) for result in results]


def test_replies_come_in_order_and_fit_their_tasks() -> None:
    for task, (reply, confidence) in zip(TASKS, replies(ExtractiveModel(BagOfWords()), TASKS), strict=True):
        assert type(reply) is task.reply_type
        assert 0 < confidence <= 1


def test_a_reply_depends_only_on_its_request() -> None:
    model = ExtractiveModel(BagOfWords())
    together = replies(model, TASKS)
    alone = [replies(ExtractiveModel(BagOfWords()), [task])[0] for task in TASKS]
    order = random.Random(1).sample(range(len(TASKS)), len(TASKS))
    shuffled = replies(model, [TASKS[i] for i in order])
    assert together == alone
    assert [together[i] for i in order] == shuffled


def test_costs_are_calls_and_seconds_without_tokens() -> None:
    for result in asyncio.run(ExtractiveModel(BagOfWords()).generate([Request(task) for task in TASKS])):
        assert (result.cost.calls, result.cost.tokens_in, result.cost.tokens_out) == (1, 0, 0)
        assert result.cost.seconds > 0


def test_no_requests_give_no_replies() -> None:
    assert asyncio.run(ExtractiveModel(BagOfWords()).generate([])) == []


def test_an_unknown_task_fails_alone() -> None:
    tasks: list[Task[Reply]] = [TASKS[0], JudgeClaim(claim=CLAIM, pairs=()), TASKS[1]]
    first, error, last = asyncio.run(ExtractiveModel(BagOfWords()).generate([Request(task) for task in tasks]))
    assert isinstance(error, ModelError)
    assert error.kind is ErrorKind.BACKEND
    assert "judge_claim" in error.message
    assert isinstance(first, Completion) and isinstance(last, Completion)


def test_a_slow_request_does_not_block_others() -> None:
    entered, released = threading.Event(), threading.Event()

    class Slow(BagOfWords):
        def encode(self, texts):
            entered.set()
            assert released.wait(PATIENCE)
            return super().encode(texts)

    async def scenario() -> bool:
        asked = asyncio.create_task(ExtractiveModel(Slow()).generate([Request(TASKS[3])]))
        await asyncio.to_thread(entered.wait, PATIENCE)
        still_open = not asked.done()  # reached while the model computes
        released.set()
        await asked
        return still_open

    assert asyncio.run(scenario())
