import asyncio

import pytest

from system.models.base import ErrorKind, Request
from system.models.scripted import ScriptedModel, UnexpectedRequestError
from system.strategies.steps.tasks import AskQuestion, QuestionReply

REPLY = QuestionReply(question="Who?")


def ask(model, *requests):
    return asyncio.run(model.generate(requests))


def test_replies_come_in_order_and_requests_are_remembered(tasks):
    requests = [Request(tasks["first_question"], seed=seed) for seed in range(3)]
    model = ScriptedModel(lambda request: QuestionReply(question=f"{request.seed}?"))
    results = ask(model, *requests)
    assert [(r.reply.question, r.cost.calls) for r in results] == [("0?", 1), ("1?", 1), ("2?", 1)]
    assert model.requests == requests


def test_unexpected_request_is_an_error(tasks):
    model = ScriptedModel(lambda request: REPLY if isinstance(request.task, AskQuestion) else None)
    with pytest.raises(UnexpectedRequestError, match="nothing to say to JudgeClaim"):
        ask(model, Request(tasks["first_question"]), Request(tasks["judge"]))


def test_raw_text_is_read_as_a_reply(tasks):
    model = ScriptedModel(lambda request: '{"question": "Who?"}' if request.seed else "no JSON")
    bad, good = ask(model, Request(tasks["first_question"]), Request(tasks["first_question"], seed=1))
    assert (bad.kind, bad.raw) == (ErrorKind.MALFORMED_REPLY, "no JSON")
    assert good.reply == REPLY
