"""The server backend against a small server of OpenAI's form, over real sockets.

``tests/faults/test_model_server.py`` has servers that die or hang.
"""

import asyncio
import json
import re

import pytest

from submission.ev2r.judge import FreePrompt
from system.graph.records import Claim
from system.models.base import Completion, ErrorKind, ModelError, ModelUnavailable, Request
from system.models.server import ServerModel
from system.settings import EngineSettings
from system.tasks.base import Adapter
from tests.helpers.asking import ask_server
from tests.helpers.local_site import Handler, serving

NAMES = {Adapter.QUESTION_GENERATION: "qg", Adapter.QUESTION_ANSWERING: "qa", Adapter.VERDICT_PREDICTION: "vp"}
LABEL = {"justification": "So it is.", "label": "Refuted"}


class ModelServer(Handler):
    """Lists models and answers chats; ``server.reply`` decides what a chat gets, ``server.bodies`` keeps what came."""

    protocol_version = "HTTP/1.1"

    def get(self):
        self.send({"data": [{"id": name, **self.server.card} for name in ("base", *NAMES.values())]})

    def post(self):
        self.server.keys.add(self.headers["Authorization"])
        body = self.received()
        self.server.bodies.append((self.path, body))
        if self.path == "/tokenize":
            size = sum(len(message["content"]) for message in body["messages"]) // 4
            self.send({"tokens": [1] * size, "count": size})
        else:
            status, content = self.server.reply(body)
            self.send(content, status)


def chat(content, finish_reason="stop", logprobs=None, prompt_tokens=50):
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 32}}
    choice = {"message": {"content": content}, "finish_reason": finish_reason, "logprobs": logprobs}
    return 200, {"choices": [choice], "usage": usage}


@pytest.fixture
def server():
    card = {"owned_by": "vllm", "max_model_len": 2048}
    with serving(ModelServer, keys=set(), bodies=[], card=card, reply=lambda _: chat(json.dumps(LABEL))) as server:
        yield server


def settings(server):
    return EngineSettings(address=f"http://127.0.0.1:{server.server_port}/v1", timeout=5)


def ask(server, *requests, adapters=NAMES):
    return ask_server(settings(server), *requests, model="base", adapters=adapters)


def test_reply_cost_and_confidence_are_read(server, tasks):
    tokens = ['{"justification":"So it is.","', "label", '":"', "Refuted", '"}']
    logprobs = {"content": [{"token": t, "logprob": p} for t, p in zip(tokens, [-3, -2, 0, -0.5, 0], strict=True)]}
    server.reply = lambda body: chat("".join(tokens), logprobs=logprobs)
    (result,) = ask(server, Request(tasks["judge"]))
    assert isinstance(result, Completion)
    assert result.reply.label == "Refuted"
    assert result.confidence == pytest.approx(0.6065, abs=1e-4)
    assert (result.cost.tokens_in, result.cost.tokens_cached, result.cost.tokens_out) == (50, 32, 9)
    assert result.prompt.startswith("[system]\nYou help")


NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.mark.parametrize(
    ("owner", "extras"),
    [
        ("vllm", NO_THINKING | {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}),
        ("llamacpp", NO_THINKING),
        ("library", {"reasoning_effort": "none"}),
        ("openai", {}),
    ],
)
def test_requests_name_adapter_and_schema_and_have_only_fields_that_the_server_knows(server, tasks, owner, extras):
    server.card["owned_by"] = owner
    requests = Request(tasks["judge"], temperature=0.4, seed=7), Request(tasks["answer"])
    ask(server, *requests, adapters={Adapter.VERDICT_PREDICTION: "vp"})
    bodies = {body["model"]: body for _, body in server.bodies}
    judge = bodies.pop("vp")
    assert "Your task" not in judge.pop("messages")[0]["content"]
    schema = judge.pop("response_format")["json_schema"]["schema"]
    assert schema["required"] == ["justification", "label"]
    sampling = {"temperature": 0.4, "seed": 7, "max_tokens": 320, "logprobs": True, "top_p": 1.0}
    assert judge == sampling | extras | {"model": "vp"}
    base = bodies.pop("base")  # in place of the absent adapter, with full instructions
    assert "Your task: answer" in base["messages"][0]["content"] and not base["logprobs"] and not bodies


def test_a_foreign_prompt_is_sent_verbatim_and_without_a_schema(server):
    server.card["max_model_len"] = 8192
    server.reply = lambda body: chat("Well: {")
    (result,) = ask(server, Request(FreePrompt(claim=Claim(id=0, text="c"), prompt='Say "a":\n{"b": 1}<|im_end|>')))
    assert "response_format" not in server.bodies[0][1]
    assert server.bodies[0][1]["messages"] == [{"role": "user", "content": 'Say "a":\n{"b": 1}< |im_end|>'}]
    assert result.reply.text == "Well: {"


@pytest.mark.parametrize("owner", ["vllm", "somebody"])
def test_long_passages_are_trimmed_before_they_are_sent(server, tasks, owner):
    server.card = {"owned_by": owner, "max_model_len": 1024}
    passage = tasks["answer"].passage
    long = type(passage)(text="The bridge is dear. " * 900, url=passage.url, page=0, start=0)
    ask(server, Request(tasks["answer"].model_copy(update={"passage": long})))
    sent = [body for path, body in server.bodies if path.endswith("/chat/completions")]
    size = sum(len(message["content"]) for message in sent[0]["messages"])
    budget = 1024 - 256
    allowed = 4 * budget if owner == "vllm" else 2 * budget
    assert allowed - 200 < size <= allowed + 4
    assert any(path == "/tokenize" for path, _ in server.bodies) == (owner == "vllm")


def test_request_that_cannot_fit_is_never_sent(server, tasks):
    server.card["max_model_len"] = 300
    bad, good = ask(server, Request(tasks["answer"]), Request(tasks["next_question"]))
    assert (bad.kind, type(good)) == (ErrorKind.TOO_LONG, ModelError)
    assert not any("qa" in str(body.get("model")) for path, body in server.bodies if path != "/tokenize")


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((500, {"error": "out of memory"}), r"judge_claim: status 500: .*out of memory"),
        ((404, {"error": {"message": "The model `vp` does not exist."}}), "status 404: .*does not exist"),
        ((200, {"choices": []}), "expected a chat completion, got"),
        ((200, "nonsense"), "expected a chat completion, got"),
        (chat(json.dumps(LABEL), prompt_tokens=10**20), "expected a chat completion, got ValidationError"),
    ],
)
def test_refusal_is_a_result_and_is_not_repeated(server, tasks, reply, message):
    server.reply = lambda body: reply if body["model"] == "vp" else chat('{"answer":"A","sources":[1]}')
    bad, good = ask(server, Request(tasks["judge"]), Request(tasks["merge"]))
    assert bad.kind is ErrorKind.BACKEND
    assert re.search(message, bad.message)
    assert isinstance(good, Completion)
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("", "needs an address"),
        ("http://127.0.0.1:1/v1", "start one, or correct the address"),
        *((one, "correct the address") for one in ("http://[::1", "http://a:99999/v1", "http://a\n/v1", "a:8000/v1")),
    ],
)
def test_an_address_without_a_server_is_one_clear_error(address, advice):
    with pytest.raises(ModelUnavailable, match=f"(?s){re.escape(address)}.*{advice}"):
        ServerModel("base", {}, EngineSettings(address=address))


def test_unknown_model_and_adapter_are_named(server):
    for model, adapters in (("other", {}), ("base", {Adapter.VERDICT_PREDICTION: "other"})):
        with pytest.raises(ModelUnavailable, match="no model or adapter 'other'; it has base, qa, qg, vp"):
            ServerModel(model, adapters, settings(server))


@pytest.mark.parametrize("status", [400, 422, 501])
def test_a_server_that_refuses_schemas_gets_none_and_is_read_around_the_json(server, tasks, status):
    fenced = f"Here is my judgement:\n```json\n{json.dumps(LABEL)}\n```\nI hope that helps."
    server.reply = lambda body: (status, {"error": "?"}) if "response_format" in body else chat(fenced)

    async def run():
        model = ServerModel("base", {}, settings(server))
        results = [await model.generate([Request(tasks["judge"])]) for _ in range(3)]
        await model.close()
        return results

    for (result,) in asyncio.run(run()):
        assert isinstance(result, Completion) and result.reply.label == "Refuted"
    assert ["response_format" in body for _, body in server.bodies] == [True, False, False, False]
    assert "logprobs" not in server.bodies[-1][1]


def test_an_error_that_the_schema_did_not_cause_is_reported(server, tasks):
    server.reply = lambda body: (400, {"error": f"schema: {'response_format' in body}"})
    (result,) = ask(server, Request(tasks["judge"]))
    assert isinstance(result, ModelError) and "schema: True" in result.message


def test_a_key_is_sent_where_one_is_set(server, tasks, monkeypatch):
    monkeypatch.setenv("FACTGRAPH_API_KEY", "secret")
    ask(server, Request(tasks["judge"]))
    assert server.keys == {"Bearer secret"}
