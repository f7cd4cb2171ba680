import asyncio

import pytest

from system.models.base import ErrorKind, Request
from system.strategies.steps.tasks import QuestionReply
from tests.helpers.scripted import ScriptedModel


def test_raw_text_is_read_as_a_reply_and_an_unexpected_request_is_an_error(tasks):
    model = ScriptedModel(lambda request: [None, "no JSON", '{"question": "Who?"}'][request.seed])
    nothing, *requests = [Request(tasks["first_question"], seed=seed) for seed in range(3)]
    bad, good = asyncio.run(model.generate(requests))
    assert (bad.kind, bad.raw, good.reply) == (ErrorKind.MALFORMED_REPLY, "no JSON", QuestionReply(question="Who?"))
    assert model.requests == requests
    with pytest.raises(LookupError, match="nothing to say to AskQuestion"):
        asyncio.run(model.generate([nothing]))
