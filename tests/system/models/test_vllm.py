"""The real vLLM engine on the tiny model: with all three adapters in one batch, and every task by the base alone."""

import asyncio
import json

import pytest
from transformers import AutoConfig

from system.graph.records import Claim
from system.models.base import Completion, ErrorKind, ModelError, ModelUnavailable, Request
from system.models.prompting import decoding_schema
from system.settings import EngineSettings
from system.tasks.base import Adapter, FreeText
from tests.helpers import by_strategy

# The warnings of vLLM and what it imports are not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.vllm, pytest.mark.filterwarnings("default")]

ENGINE = EngineSettings(context=4096)
EXACT = {"dtype": "float32", "max_num_batched_tokens": 16_384}  # vLLM on a CPU fails if it cuts a seeded prompt
NEVER_LEARNT = tuple(by_strategy.all_of("NESTED"))  # lists in lists: it finds no end
SHORT = 200


@pytest.fixture(scope="module")
def backend():
    pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    import system.models.vllm

    return system.models.vllm


@pytest.fixture(scope="module")
def model(backend, tiny_model, tiny_adapters):
    loaded = backend.VllmModel(str(tiny_model / "base"), tiny_adapters, ENGINE, kv_cache_memory_bytes=2**27, **EXACT)
    yield loaded
    asyncio.run(loaded.close())


@pytest.fixture(scope="module")
def crowded(backend, tiny_model):
    """The base alone, with a cache for 1.2 requests of full length in float32."""
    base = str(tiny_model / "base")
    shape = AutoConfig.from_pretrained(base)
    width = shape.num_key_value_heads * shape.hidden_size // shape.num_attention_heads
    cache = int(1.2 * ENGINE.context) * 2 * shape.num_hidden_layers * width * 4
    loaded = backend.VllmModel(base, {}, ENGINE, kv_cache_memory_bytes=cache, **EXACT)
    yield loaded
    asyncio.run(loaded.close())


def ask(model, *requests):
    return asyncio.run(model.generate(requests))


def test_the_engine_sends_no_telemetry(backend):
    from vllm.usage.usage_lib import is_usage_stats_enabled

    assert not is_usage_stats_enabled()


def test_costs_and_confidence_are_measured(model, tasks):
    results = ask(model, *map(Request, tasks.values()))
    for task, result in zip(tasks.values(), results, strict=True):
        assert isinstance(result, Completion) and type(result.reply) is task.reply_type, result
        assert result.prompt.startswith("<|im_start|>system\n")
        assert result.cost.calls == 1 and (result.cost.tokens_out > 1) == (result.cost.decode_seconds > 0)
        assert result.cost.decode_seconds < result.cost.seconds
        assert 0 <= result.cost.queue_seconds < result.cost.seconds
        assert result.cost.tokens_in > 100 and 0 < result.cost.tokens_out <= task.max_tokens
    assert 0.25 <= results[-1].confidence <= 1


def test_repeated_prompts_come_from_the_prefix_cache(model, tasks):
    ask(model, Request(tasks["answer"]))
    (result,) = ask(model, Request(tasks["answer"]))
    assert result.cost.tokens_cached > result.cost.tokens_in / 2


def test_sampling_follows_the_seed(model, tasks):
    requests = [Request(tasks["first_question"], temperature=1.5, seed=seed) for seed in (1, 2, 3, 1)]
    raws = [result.raw for result in ask(model, *requests)]
    assert raws[0] == raws[3] and len(set(raws)) == 3


def test_too_long_a_request_fails_alone(model, tasks):
    digits = "1234567890 " * 400  # a token a digit
    huge = tasks["judge"].model_copy(update={"claim": Claim.model_validate({"id": 1, "text": digits})})
    passage = tasks["answer"].passage
    long = type(passage)(text="The bridge is dear. " * 1200, url=passage.url, page=0, start=0)
    trimmed = tasks["answer"].model_copy(update={"passage": long})
    bad, good = ask(model, Request(huge), Request(trimmed))
    assert isinstance(bad, ModelError) and bad.kind is ErrorKind.TOO_LONG
    assert isinstance(good, Completion)
    assert ENGINE.context - tasks["answer"].max_tokens - 20 < good.cost.tokens_in <= ENGINE.context - 256


def test_refused_request_is_a_result(model, tasks, monkeypatch):
    monkeypatch.setattr(type(tasks["merge"]), "max_tokens", -1)
    bad, good = ask(model, Request(tasks["merge"]), Request(tasks["judge"]))
    assert isinstance(bad, ModelError) and bad.kind is ErrorKind.BACKEND
    assert "max_tokens" in bad.message
    assert isinstance(good, Completion)


def test_cancelled_request_leaves_the_engine(model, tasks):
    async def give_up():
        waiting = asyncio.ensure_future(model.generate([Request(tasks["merge"])] * 4))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.sleep(1)
        return model._engine.get_num_unfinished_requests()

    assert asyncio.run(give_up()) == 0
    assert isinstance(ask(model, Request(tasks["judge"]))[0], Completion)


def test_bad_input_is_one_clear_error(backend, tiny_model, tiny_adapters, tmp_path):
    with pytest.raises(ModelUnavailable, match=r"cannot be read.*give a folder with config"):
        backend.VllmModel(str(tmp_path), {}, ENGINE)
    with pytest.raises(ModelUnavailable, match="expected adapter_config"):
        backend.VllmModel(str(tiny_model / "base"), {Adapter.VERDICT_PREDICTION: str(tmp_path)}, ENGINE)
    with pytest.raises(ModelUnavailable, match=r"could not start with .*; its log above says why\. If it does not fit"):
        backend.VllmModel(str(tiny_model / "base"), tiny_adapters, ENGINE.model_copy(update={"gpu_memory": 1e-6}))


def test_requests_beyond_the_cache_are_preempted_and_answered(crowded, tasks):
    results = ask(crowded, *[Request(tasks["answer"])] * 32)
    assert all(isinstance(result, Completion) for result in results)


def begins_schema(reply_type, raw):
    """Whether a text is an object of the reply's schema, or the beginning of one."""
    xgrammar = pytest.importorskip("xgrammar", reason="needs xgrammar, which vLLM brings")
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]))
    schema = json.dumps(decoding_schema(reply_type))
    grammar = compiler.compile_json_schema(schema, any_whitespace=False, separators=(",", ":"))
    return xgrammar.GrammarMatcher(grammar, terminate_without_stop_token=True).accept_string(raw)


def test_every_task_is_answered_in_its_schema(crowded, every_task, monkeypatch):
    assert not begins_schema(type(every_task["answer"]).reply_type, '{"source":"Evidence","type":"Magical"')
    for task in NEVER_LEARNT:
        monkeypatch.setattr(task, "max_tokens", SHORT)
    results = ask(crowded, *map(Request, every_task.values()))
    for (name, task), result in zip(every_task.items(), results, strict=True):
        assert task.reply_type is FreeText or begins_schema(task.reply_type, result.raw), (name, result.raw)
        if isinstance(task, NEVER_LEARNT) and isinstance(result, ModelError):
            assert result.message.endswith(f"cut off at {SHORT} tokens"), result
        else:
            assert isinstance(result, Completion), (name, result)
            assert type(result.reply) is task.reply_type
            assert (0 < result.confidence < 1) if task.reply_type.label_field else result.confidence == 1, name
