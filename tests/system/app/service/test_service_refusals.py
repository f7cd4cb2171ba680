"""Faults of clients and faults inside: refused or told, and nothing internal shown."""

import orjson
import pytest

from system.app.service.schema import DOCUMENTS as MOST_DOCUMENTS
from system.app.service.schema import TEXT
from system.models.base import ErrorKind, ModelError
from system.strategies.steps.tasks import AnswerQuestion, JudgeClaim
from tests.helpers.bridge import Answers
from tests.helpers.serving import ORDER, TOKEN, ended, engine_of, events_of, serve, submit

SECRET = "http://user:key@10.0.0.7/v1"
JSON = {"Content-Type": "application/json"}
DAY = "date: expected a date as 2020-08-25 or 25-8-2020"
FIELDS = [
    ({**ORDER, "claim": " \n "}, "claim: expected at least 1 character"),
    ({**ORDER, "claim": "x" * 501}, "claim: expected at most 500 characters"),
    ({**ORDER, "date": "yesterday"}, DAY),
    ({**ORDER, "budget": 0}, "budget: expected a number greater than 0"),
    ({**ORDER, "documents": []}, "documents: expected at least 1 item"),
    ({**ORDER, "documents": [{"text": "x"}] * (MOST_DOCUMENTS + 1)}, "documents: expected at most 64 items"),
    ({**ORDER, "documents": [{"name": "a.txt", "file": ""}]}, "documents.0.file: expected at least 1"),
    ({**ORDER, "documents": [{"text": "x", "file": "AAAA"}]}, "documents.0: expected either 'text' or 'file'"),
    ({**ORDER, "documents": {"a.md": "A text."}}, "documents: expected a list"),
    ({**ORDER, "documents": [{"text": "x", "path": "/etc/passwd"}]}, "documents.0.path: unknown field"),
    ({**ORDER, "store": "aster"}, "the request: expected either 'documents' or 'store'; give one of them"),
    ({"documents": [{"text": "x"}]}, "claim: expected a value, got none"),
    ([], "the request: expected "),
    ({**ORDER, "documents": [{"file": "data:text/plain;base64,YSBi"}]}, "documents.0.file: expected Base64 alone"),
]
TEXT_FIELDS = [
    ({"text": "x" * (TEXT + 1)}, "text: expected at most 100000"),
    ({"text": " "}, "text: expected at least 1"),
    ({"store": "0"}, "the request: expected either 'documents' or 'store'"),
    ({"file": "YSBi"}, "the request: expected either 'text' or 'file'"),
]
BODIES = [
    (b'{"claim": "\\ud800", "documents": [{"text": "x"}]}', 422),
    (b'{"claim": "x", "documents": [{"text": "x"}], "budget": 1e999}', 422),
    (b"[" * 100_000, 400),
    (b"\xff\xff", 400),
    (b'{"claim": ' + b"1" * 5000 + b"}", 400),
    (b"{", 422),
    (b"", 422),
]


def test_names_a_bad_field_without_repeating_its_value():
    async def scenario(client):
        texts = [{"text": "A text.", "documents": ORDER["documents"], **changes} for changes, _ in TEXT_FIELDS]
        answers = [await client.post("/claims", json=body) for body, _ in FIELDS]
        return answers + [await client.post("/texts", json=body) for body in texts]

    for answer, (_, says) in zip(serve(scenario), FIELDS + TEXT_FIELDS, strict=True):
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(says), answer.json()
        assert "passwd" not in answer.text and "validation" not in answer.text and len(answer.text) < 300


def test_rejects_unexpected_json_and_forms_of_other_sites():
    async def scenario(client):
        form = await client.post("/claims", content=orjson.dumps(ORDER), headers={"Content-Type": "text/plain"})
        assert form.status_code == 422
        return [await client.post("/claims", content=content, headers=JSON) for content, _ in BODIES]

    for answer, (content, status) in zip(serve(scenario), BODIES, strict=True):
        assert answer.status_code == status and answer.json()["detail"], content[:99]


@pytest.mark.parametrize("announced", [True, False])
def test_rejects_an_oversized_body(announced):
    async def chunks():
        for _ in range(3):
            yield b" " * 500

    content = b" " * 1500 if announced else chunks()
    answer = serve(lambda client: client.post("/claims", content=content, headers=JSON), body=1000 / 2**20)
    assert answer.status_code == 413 and "too large" in answer.json()["detail"].lower()


def test_without_the_token_only_what_holds_no_data_is_open():
    async def scenario(client):
        closed = ["/stores", "/claims/x", "/claims/x/thoughts", "/claims/x/report", "/texts/x"]
        wrong = [{}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}]
        refused = [await client.get(path, headers=headers) for path in closed for headers in wrong]
        refused += [await client.post("/claims", json=ORDER), await client.delete("/claims/x")]
        assert {answer.status_code for answer in refused} == {401}
        assert refused[0].headers["WWW-Authenticate"] == "Bearer"
        opened = [await client.get(path) for path in ("/", "/text", "/docs", "/openapi.json", "/healthz")]
        assert {answer.status_code for answer in opened} == {200}
        client.headers["Authorization"] = f"bearer {TOKEN}"  # schemes have no case (RFC 9110)
        return (await ended(client, (await submit(client))["id"]))["state"]

    assert serve(scenario, token=TOKEN) == "done"


LOCAL = ["localhost:8000", "localhost", "[::1]:8000", "[::1]", "127.0.0.1"]
FOREIGN = ["evil.example:8000", "", "[localhost:1", "::1", "127.0.0.1@evil.example", "a@127.0.0.1", "[::1"]


def test_without_a_token_only_local_host_names_are_accepted():
    async def scenario(client):
        return [(await client.get("/healthz", headers={"Host": host})).status_code for host in LOCAL + FOREIGN]

    assert serve(scenario) == [200] * len(LOCAL) + [400] * len(FOREIGN)


@pytest.mark.parametrize(("path", "events"), [("/claims", "thoughts"), ("/texts", "statements")])
def test_reports_failures_without_internal_details(path, events, caplog):
    answers = Answers()
    answers.replace[AnswerQuestion] = lambda _: ModelError(ErrorKind.BACKEND, f"{SECRET} is gone")
    answers.replace[JudgeClaim] = lambda _: RuntimeError(f"{SECRET} fell over")

    async def scenario(client):
        given = {"text" if path == "/texts" else "claim": ORDER["claim"], "documents": ORDER["documents"]}
        address = f"{path}/{(await client.post(path, json=given)).json()['id']}"
        stream = events_of((await client.get(f"{address}/{events}")).text)
        return stream, (await client.get(f"{address}/report")).text

    stream, report = serve(scenario, engine_of(answers))
    result = stream[-1][2]["result"]
    failures = (result if path == "/claims" else result["statements"][0])["failures"]
    for cause in ("backend error;", "RuntimeError;"):
        assert any(message.startswith(cause) for message in failures)
    assert not any(secret in shown for shown in (str(stream), report) for secret in ("key@", "Traceback"))
    assert f"{SECRET} is gone" in caplog.text


def test_an_internal_error_is_logged_and_not_shown(monkeypatch, caplog):
    monkeypatch.setattr("system.app.service.app.check_claim", lambda *_, **__: 1 / 0)

    async def scenario(client):
        job = await submit(client)
        end = events_of((await client.get(f"/claims/{job['id']}/thoughts")).text)[-1][0]
        return end, await ended(client, job["id"])

    end, progress = serve(scenario)
    assert (end, progress["state"], progress["result"]) == ("failed", "failed", None)
    assert "ZeroDivisionError" in caplog.text and "ZeroDivisionError" not in str(progress)


def test_only_listed_stores_are_opened(stores):
    outside = ["../outside", str(stores.parent / "outside"), "outside", ".hidden", "aster.json", "..", "\0", "aster/"]

    async def scenario(client):
        assert (await client.get("/stores")).json() == {"stores": ["aster"]}
        for name in outside:
            answer = await client.post("/claims", json={"claim": ORDER["claim"], "store": name})
            assert answer.status_code == 404, name
        job = await client.post("/claims", json={"claim": ORDER["claim"], "store": "aster"})
        return await ended(client, job.json()["id"])

    assert serve(scenario, stores=stores)["result"]["label"] == "Supported"
