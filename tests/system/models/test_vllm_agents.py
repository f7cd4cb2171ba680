"""Every task's reply in its schema, on the real engine with the tiny model."""

import asyncio
import json

import pytest

from system.models.base import Completion, ModelError, Request
from system.models.replies import decoding_schema
from system.settings import EngineSettings
from system.strategies.steps.tasks import AnswerQuestion
from system.tasks.base import FreeText
from tests.helpers import by_strategy

# The warnings of vLLM and what it imports are not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.vllm, pytest.mark.filterwarnings("default")]

ENGINE = EngineSettings(context=4096)
NEVER_LEARNT = tuple(by_strategy.all_of("NESTED"))  # lists in lists: it finds no end
SHORT = 200


@pytest.fixture(scope="module")
def model(tiny_model):
    pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    from system.models.vllm import VllmModel

    loaded = VllmModel(str(tiny_model / "base"), {}, ENGINE, dtype="float32")
    yield loaded
    asyncio.run(loaded.close())


@pytest.fixture(autouse=True)
def short_replies(monkeypatch):
    for task in NEVER_LEARNT:
        monkeypatch.setattr(task, "max_tokens", SHORT)


def begins_schema(reply_type, raw):
    """Whether a text is an object of the reply's schema, or the beginning of one."""
    xgrammar = pytest.importorskip("xgrammar", reason="needs xgrammar, which vLLM brings")
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]))
    schema = json.dumps(decoding_schema(reply_type))
    grammar = compiler.compile_json_schema(schema, any_whitespace=False, separators=(",", ":"))
    return xgrammar.GrammarMatcher(grammar, terminate_without_stop_token=True).accept_string(raw)


def test_every_task_is_answered_in_its_schema(model, every_task):
    results = asyncio.run(model.generate([Request(task) for task in every_task.values()]))
    for (name, task), result in zip(every_task.items(), results, strict=True):
        assert task.reply_type is FreeText or begins_schema(task.reply_type, result.raw), (name, result.raw)
        if isinstance(task, NEVER_LEARNT) and isinstance(result, ModelError):
            assert result.message.endswith(f"cut off at {SHORT} tokens"), result
        else:
            assert isinstance(result, Completion), (name, result)
            assert type(result.reply) is task.reply_type
            assert (0 < result.confidence < 1) if task.reply_type.label_field else result.confidence == 1, name


def test_detects_text_outside_the_schema():
    assert begins_schema(AnswerQuestion.reply_type, '{"source":"Evidence","type":"Boolean","ans')
    assert not begins_schema(AnswerQuestion.reply_type, '{"source":"Evidence","type":"Magical"')
    assert not begins_schema(AnswerQuestion.reply_type, '{"source":1')
