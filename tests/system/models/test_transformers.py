"""The transformers backend on the tiny model."""

import asyncio
import json
import shutil
import time
from threading import Event

import pytest
import torch

from submission.ev2r.tasks import FreePrompt
from system.graph.records import Claim, Label
from system.models.base import Completion, ErrorKind, ModelError, ModelUnavailable, Request
from system.models.constraints import closed_replies, common_prefix
from system.settings import EngineSettings
from system.strategies.steps.tasks.judge_claim import LabelReply
from system.tasks.base import Adapter, FreeText

pytestmark = pytest.mark.slow

ENGINE = EngineSettings(context=4096, dtype="float32")


@pytest.fixture(scope="module")
def model(tiny_model, tiny_adapters):
    from system.models.transformers import TransformersModel

    loaded = TransformersModel(str(tiny_model / "base"), tiny_adapters, ENGINE)
    yield loaded
    asyncio.run(loaded.close())


@pytest.fixture(scope="module")
def decoder(tiny_model, tiny_adapters):
    from system.models.decoding import Decoder

    return Decoder(str(tiny_model / "base"), tiny_adapters, ENGINE)


@pytest.fixture(scope="module")
def bare_model(tiny_model):
    from system.models.transformers import TransformersModel

    loaded = TransformersModel(str(tiny_model / "base"), {}, ENGINE)
    yield loaded
    asyncio.run(loaded.close())


def ask(model, *requests):
    return asyncio.run(model.generate(requests))


@pytest.mark.parametrize("which", ["model", "bare_model"])
def test_every_task_is_answered_in_its_schema(request, tasks, which):
    results = ask(request.getfixturevalue(which), *map(Request, tasks.values()))
    for task, result in zip(tasks.values(), results, strict=True):
        assert isinstance(result, Completion), result
        assert type(result.reply) is task.reply_type
        assert list(json.loads(result.raw)) == list(task.reply_type.model_fields)
        assert result.prompt.startswith("<|im_start|>system\n") and result.prompt.endswith("<|im_start|>assistant\n")
        assert result.cost.calls == 1 and result.cost.seconds > 0
        assert 0 < result.cost.tokens_out <= task.max_tokens
    definitions = "Your task: judge the claim" in results[-1].prompt
    assert definitions == (which == "bare_model")


def test_a_free_reply_has_no_schema(model, monkeypatch):
    monkeypatch.setattr(FreePrompt, "max_tokens", 12)
    (result,) = ask(model, Request(FreePrompt(claim=Claim(id=0, text="c"), prompt="Say anything at all.")))
    assert isinstance(result, Completion)
    assert result.reply == FreeText(text=result.raw)
    assert not result.raw.startswith('{"text"')
    assert "Say anything at all." in result.prompt


def test_replies_equal_those_of_peft(model, decoder, tiny_model, tasks):
    """Greedy replies equal those of plain PEFT with the same prompt, adapter by adapter, and batches change nothing."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    together = dict(zip(tasks, ask(model, *map(Request, tasks.values())), strict=True))
    for name in ("first_question", "answer", "judge"):
        base = AutoModelForCausalLM.from_pretrained(str(tiny_model / "base"))
        peft = PeftModel.from_pretrained(base, str(tiny_model / tasks[name].adapter)).eval()
        reply = decoder.chat.tokenizer(together[name].raw + "<|im_end|>")["input_ids"]
        prompt = decoder.chat.prompt(tasks[name], True).ids
        assert together[name].cost.tokens_in == len(prompt)
        assert together[name].cost.tokens_out == len(reply)
        with torch.inference_mode():
            logits = peft(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1]
        free = [i for i, token in enumerate(reply) if logits[i].argmax() == token]
        assert len(free) > len(reply) / 2  # where the schema left a choice, the likeliest token was taken
    alone = [ask(model, Request(task))[0].raw for task in tasks.values()]
    assert alone == [result.raw for result in together.values()]


def test_common_prefixes_are_read_once_and_change_nothing(model, tasks):
    answers = [
        tasks["answer"].model_copy(update={"question": q}) for q in ("Who paid for it?", "When was that?", "Why?")
    ]
    requests = [*map(Request, answers), *(Request(answers[0], temperature=1.2, seed=seed) for seed in (1, 2))]
    together = [result.raw for result in ask(model, *requests)]
    assert together == [ask(model, request)[0].raw for request in requests]


def labels_of(tasks, *texts, pairs=1):
    """A request for the label of each claim."""
    return [
        Request(tasks["label"].model_copy(update={"claim": Claim(text, id=0), "pairs": tasks["label"].pairs * pairs}))
        for text in texts
    ]


@pytest.mark.parametrize("batched_tokens", [24, 90, 4096])
def test_passes_and_known_beginnings_change_no_label(model, tiny_model, tiny_adapters, tasks, batched_tokens):
    from system.models.transformers import TransformersModel

    changes = {"batched_tokens": batched_tokens}
    other = TransformersModel(str(tiny_model / "base"), tiny_adapters, ENGINE.model_copy(update=changes))
    long, short = "The bridge at Oldmarsh cost nine million. " * 4, "It was dear."
    requests = [request for n in (1, 2, 5) for request in labels_of(tasks, long, short, pairs=n)]
    requests += [Request(tasks["answer"]), Request(tasks["verify"]), *labels_of(tasks, long)]
    expected = [ask(model, request)[0] for request in requests]
    for found in (ask(other, *requests), [ask(other, request)[0] for request in requests]):
        assert [result.raw for result in found] == [result.raw for result in expected]
        for one, result in zip(found, expected, strict=True):
            assert one.cost.tokens_in == result.cost.tokens_in and one.cost.queue_seconds <= one.cost.seconds
            assert one.probabilities == pytest.approx(result.probabilities, abs=1e-4)
    asyncio.run(other.close())


def test_a_known_beginning_is_not_read_again(decoder, tasks, monkeypatch):
    read, forward = [], type(decoder)._forward
    monkeypatch.setattr(
        type(decoder), "_forward", lambda one, tokens, *rest: read.append(len(tokens[0])) or forward(one, tokens, *rest)
    )
    claims = [*labels_of(tasks, "The mill at Fenwick burned down in 1911.", pairs=2), Request(tasks["label"])]
    closed = closed_replies(LabelReply, decoder.chat.tokenizer)
    prompts = [decoder.chat.prompt(request.task, True).ids for request in claims]
    for prompt in (prompts[0], [*prompts[0], 7], prompts[1]):
        decoder.score(claims[:1], [prompt], closed, decoder.known(Adapter.VERDICT_PREDICTION, prompt))
    alike = len(common_prefix(prompts)) - len(closed.forced)
    assert read[1] <= 1 + len(closed.forced) < read[0]
    assert len(prompts[1]) - alike >= read[2] > 0


def turns_of(model, monkeypatch, *claims):
    """Whose turn it is, pass by pass, when all have asked before the first pass."""
    order, turn, asked = [], type(model)._turn, Event()

    def noted(one, batch):
        asked.wait()
        order.append(batch[0].task.claim.text[0])
        return turn(one, batch)

    monkeypatch.setattr(type(model), "_turn", noted)

    async def ask_all():
        callers = [asyncio.create_task(model.generate(requests)) for requests in claims]
        await asyncio.sleep(0.05)
        asked.set()
        return await asyncio.gather(*callers)

    results = asyncio.run(ask_all())
    assert all(isinstance(result, Completion) for one in results for result in one)
    return "".join(order)


def test_no_claim_waits_for_the_whole_of_anothers(tiny_model, tiny_adapters, tasks, monkeypatch):
    """Neither for a long prompt nor for many: a claim has the next turn if it has used less time."""
    from system.models.transformers import TransformersModel

    small = ENGINE.model_copy(update={"batched_tokens": 90})
    model = TransformersModel(str(tiny_model / "base"), tiny_adapters, small)
    texts = "A bridge at Oldmarsh cost nine million. " * 12, "B."
    order = turns_of(model, monkeypatch, *([request] for request in labels_of(tasks, *texts)))
    assert order[:2] == "AB" and order.count("A") > 2

    many = [request for n in range(12) for request in labels_of(tasks, "C costs more.", pairs=n)]
    order = turns_of(model, monkeypatch, many, labels_of(tasks, "D."))
    assert order[:2] == "CD" and order.count("C") > 2
    asyncio.run(model.close())


def test_a_label_is_chosen_with_the_probability_of_each(model, decoder, tiny_model, tasks):
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    from system.models.constraints import common_prefix

    claims = [tasks["label"].model_copy(update={"pairs": tasks["label"].pairs * n}) for n in (0, 1, 2)]
    base = AutoModelForCausalLM.from_pretrained(str(tiny_model / "base"))
    peft = PeftModel.from_pretrained(base, str(tiny_model / "verdict_prediction")).eval()
    for task, result in zip(claims, ask(model, *map(Request, claims)), strict=True):
        assert result.confidence == max(result.probabilities.values())
        assert result.reply.label.value == max(result.probabilities, key=result.probabilities.get)
        assert result.cost.tokens_out == 1 and json.loads(result.raw) == {"label": result.reply.label}
        prompt = decoder.chat.prompt(task, True).ids
        rows = [decoder.chat.tokenizer(json.dumps({"label": x}, separators=(",", ":")))["input_ids"] for x in Label]
        given = common_prefix(rows)
        with torch.inference_mode():
            logits = peft(torch.tensor([prompt + given])).logits[0, -1]
        expected = logits[[row[len(given)] for row in rows]].softmax(0)
        torch.testing.assert_close(torch.tensor([result.probabilities[x] for x in Label]), expected, atol=1e-4, rtol=0)


def test_a_label_is_sampled_at_the_temperature(model, tasks):
    requests = [Request(tasks["label"], temperature=5.0, seed=seed) for seed in (*range(40), 0)]
    labels = [result.reply.label for result in ask(model, *requests)]
    assert labels[0] == labels[40] and len(set(labels)) > 1


def test_what_the_schema_forces_is_not_decoded(decoder, tasks):
    steps = []
    task = tasks["answer"]
    prompt = decoder.chat.prompt(task, True).ids
    (written,) = decoder.generate([Request(task)], [prompt], lambda: steps.append(1))
    ids, logprobs = written.ids, written.logprobs
    opening = decoder.chat.tokenizer('{"source":"')["input_ids"]
    assert ids[: len(opening)] == opening and logprobs[: len(opening)] == [0.0] * len(opening)
    assert len(steps) < len(ids) - len(opening) - 5  # "type" and "answer" at least are read at once


def test_an_abandoned_batch_ends_at_the_next_token(decoder, tasks):
    request = Request(tasks["merge"])
    prompts = [decoder.chat.prompt(request.task, False).ids] * 2
    waits = iter([False, False, True])
    written = decoder.generate([request] * 2, prompts, lambda: next(waits))
    assert next(waits, "none is left") == "none is left"
    assert all(reply.ids[-1] != decoder.chat.tokenizer.eos_token_id for reply in written)


def test_a_cancelled_caller_abandons_its_rows(model, tasks, monkeypatch):
    begun, given_up = Event(), Event()

    def wait(_, requests, prompts, abandoned, prefix):
        begun.set()
        while not abandoned():
            time.sleep(0.001)
        given_up.set()
        raise RuntimeError("nobody hears this")

    monkeypatch.setattr("system.models.decoding.Decoder.generate", wait)

    async def cancelled():
        caller = asyncio.create_task(model.generate([Request(tasks["merge"])]))
        await asyncio.to_thread(begun.wait)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await asyncio.to_thread(given_up.wait)

    asyncio.run(cancelled())


def test_uses_bfloat16_if_the_cpu_supports_it(monkeypatch):
    from system.hardware.cpu import best_dtype

    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    for supported, dtype in ((True, torch.bfloat16), (False, torch.float32)):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda supported=supported: supported)
        assert best_dtype() is dtype


def test_grouped_heads_attend_as_if_each_had_its_own_keys():
    from system.hardware.cpu import grouped_attention

    noise = torch.Generator().manual_seed(3)
    query, key, value = (torch.randn(2, heads, n, 8, generator=noise) for heads, n in ((6, 1), (2, 5), (2, 5)))
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[1, ..., :2] = False
    found, _ = grouped_attention(torch.nn.Identity(), query, key, value, mask, scaling=0.3)
    own_keys, own_values = (each.repeat_interleave(3, dim=1) for each in (key, value))
    expected = torch.nn.functional.scaled_dot_product_attention(query, own_keys, own_values, mask, scale=0.3)
    torch.testing.assert_close(found, expected.transpose(1, 2))


def test_base_weights_are_restored_after_an_adapter(model, bare_model, tasks):
    task = tasks["verify"]
    ask(model, Request(tasks["judge"]))
    assert ask(model, Request(task))[0].raw == ask(bare_model, Request(task))[0].raw


def test_sampling_follows_seed_and_temperature(model, tasks):
    requests = [Request(tasks["first_question"], temperature=1.5, seed=seed) for seed in (1, 2, 3, 1)]
    raws = [result.raw for result in ask(model, *requests, Request(tasks["first_question"]))]
    assert raws[0] == raws[3] and len(set(raws)) >= 3
    assert raws[4] == ask(model, Request(tasks["first_question"], seed=9))[0].raw


def test_gumbel_noise_samples_at_the_temperature():
    from system.models.constraints import GumbelNoise

    logits = torch.tensor([0.0, 1.0, 2.0, -torch.inf])
    noise = GumbelNoise([Request(None, temperature=2.0, seed=4)])  # type: ignore[arg-type]
    draws = torch.tensor([int(noise(logits.clone()[None]).argmax()) for _ in range(4000)])
    shares = torch.bincount(draws, minlength=4) / len(draws)
    torch.testing.assert_close(shares, torch.softmax(logits / 2.0, -1), rtol=0, atol=0.03)


def test_a_truncated_reply_is_malformed(model, tasks, monkeypatch):
    monkeypatch.setattr(type(tasks["judge"]), "max_tokens", 6)
    (result,) = ask(model, Request(tasks["judge"]))
    assert isinstance(result, ModelError)
    assert result.kind is ErrorKind.MALFORMED_REPLY
    assert result.raw.startswith('{"justification') and "cut off at 6 tokens" in result.message
    assert result.cost.tokens_out == 6


def test_request_too_long_fails_alone(tiny_model, tasks):
    from system.models.transformers import TransformersModel

    model = TransformersModel(str(tiny_model / "base"), {}, ENGINE.model_copy(update={"context": 1200}))
    digits = "1234567890 " * 180  # a token a digit
    huge = tasks["judge"].model_copy(update={"claim": Claim.model_validate({"id": 1, "text": digits})})
    bad, good = ask(model, Request(huge), Request(tasks["judge"]))
    assert (bad.kind, "even when cut" in bad.message) == (ErrorKind.TOO_LONG, True)
    assert isinstance(good, Completion)
    asyncio.run(model.close())


def test_waiting_requests_of_all_callers_share_batches(model, tasks, monkeypatch):
    batches = decoded(monkeypatch)

    async def callers():
        return await asyncio.gather(*(model.generate([Request(tasks["verify"])] * 2) for _ in range(8)))

    results = asyncio.run(callers())
    assert [len(r) for r in results] == [2] * 8
    assert sum(batches) == 16 and len(batches) <= 4


def decoded(monkeypatch):
    """How many requests each batch decodes, as it comes."""
    from system.models.decoding import Decoder

    batches, generate = [], Decoder.generate
    monkeypatch.setattr(
        Decoder,
        "generate",
        lambda one, requests, *rest: batches.append(len(requests)) or generate(one, requests, *rest),
    )
    return batches


def test_cancelled_requests_are_not_computed(model, tasks, monkeypatch):
    batches = decoded(monkeypatch)

    async def give_up():
        blocker = asyncio.ensure_future(model.generate([Request(tasks["merge"])]))
        late = asyncio.ensure_future(model.generate([Request(tasks["verify"])] * 3))
        await asyncio.sleep(0)
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
        return await blocker

    assert isinstance(asyncio.run(give_up())[0], Completion)
    assert batches == [1]
    assert isinstance(ask(model, Request(tasks["verify"]))[0], Completion)


def test_failure_inside_a_batch_is_a_result(model, tasks, monkeypatch):
    def explode(*_, **__):
        raise RuntimeError("out of memory")

    monkeypatch.setattr("system.models.decoding.Decoder.generate", explode)
    (result,) = ask(model, Request(tasks["judge"]))
    assert (result.kind, result.message) == (ErrorKind.BACKEND, "RuntimeError: out of memory")


def test_missing_model_is_named(tmp_path):
    from system.models.transformers import TransformersModel

    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelUnavailable, match=r"empty.* cannot be loaded.*give the folder of a causal language model"):
        TransformersModel(str(tmp_path / "empty"), {}, ENGINE)


def test_model_without_chat_template_is_refused(tiny_model, tmp_path):
    from system.models.transformers import TransformersModel

    shutil.copytree(tiny_model / "base", tmp_path / "base")
    (tmp_path / "base" / "chat_template.jinja").unlink()
    with pytest.raises(ModelUnavailable, match="no chat template; give an instruct model"):
        TransformersModel(str(tmp_path / "base"), {}, ENGINE)
