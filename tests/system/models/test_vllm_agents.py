"""Debates and teams on the real engine: every task's reply in its schema, and whole strategies, on the tiny model."""

import asyncio
import json
from itertools import cycle

import pytest

from submission.ev2r.tasks import CompareEvidence, CompareQuestions
from system.graph.records import AnswerType, Label, Source
from system.graph.thoughts import Argument
from system.models.base import Completion, ErrorKind, ModelError, Request
from system.models.replies import decoding_schema
from system.settings import EngineSettings
from system.strategies.base import named
from system.strategies.steps.tasks import AnswerQuestion, JudgeClaim
from system.tasks.base import FreeText
from tests.helpers import by_strategy

# The warnings of vLLM and what it imports are not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.vllm, pytest.mark.filterwarnings("default")]

ENGINE = EngineSettings(context=4096)
NEVER_LEARNT = (*by_strategy.all_of("NESTED"), CompareEvidence, CompareQuestions)  # lists in lists: it finds no end
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


class Contrary:
    """The model with all its answers read from the evidence, and verdicts of which no two in a row agree.

    What the tiny model itself says of them is chance.
    """

    def __init__(self, model):
        self._model = model
        self._labels = cycle([Label.SUPPORTED, Label.REFUTED])

    async def generate(self, requests):
        results = await self._model.generate(requests)
        return [self._replaced(*pair) for pair in zip(requests, results, strict=True)]

    def _replaced(self, request, result):
        if not isinstance(request.task, JudgeClaim | AnswerQuestion) or isinstance(result, ModelError):
            return result
        if isinstance(request.task, JudgeClaim):
            changes = {"label": next(self._labels)}
        else:
            changes = {"source": Source.EVIDENCE, "type": AnswerType.EXTRACTIVE}
        reply = result.reply.model_copy(update=changes)
        return Completion(reply, result.cost, result.prompt, result.raw, result.confidence)


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


@pytest.mark.parametrize("strategy", ["got", "debatecv", *by_strategy.all_of("SPEAKING")])
def test_a_claim_is_debated(model, make_case, strategy):
    limits = {"graph__depth": 1, "debate__rounds": 2, "run__budget": 300.0, **dict(by_strategy.all_of("SHORT"))}
    case = make_case(graph__debate=True, graph__questions=2, **limits)
    case.model = Contrary(model)
    outcome = asyncio.run(named(strategy)(case))
    assert outcome.verdict.label in Label and not case.stopwatch.timed_out
    kinds = [Argument, *by_strategy.all_of("SPOKEN")]
    spoken = [thought for kind in kinds for thought in case.graph.holding(kind)]
    assert spoken, [str(failure) for failure in case.failures]
    assert all(failure.message.startswith(ErrorKind.MALFORMED_REPLY) for failure in case.failures), case.failures
