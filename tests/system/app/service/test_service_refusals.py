"""Faults of clients and faults inside: refused or told, and nothing internal shown."""

import orjson
import pytest

from system.app.service.guards import HEAD
from system.app.service.schema import DOCUMENTS as MOST_DOCUMENTS
from system.models.base import ErrorKind, ModelError
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.judge_claim import JudgeClaim
from tests.helpers.bridge import Answers
from tests.helpers.serving import ORDER, TOKEN, ended, engine_of, events_of, serve, submit

SECRET = "http://user:key@10.0.0.7/v1"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({**ORDER, "claim": " \n "}, "claim: expected one statement that is true or false"),
        ({**ORDER, "claim": "x" * 501}, "claim: expected at most 500 characters"),
        ({**ORDER, "claim": "1," * 240}, "claim: expected a statement of at most 500 characters and 100 words"),
        ({**ORDER, "date": "yesterday"}, "date: expected the day it was made, as 25-8-2020 or 2020-08-25"),
        ({**ORDER, "date": "31-2-2021"}, "date: expected the day it was made, as 25-8-2020 or 2020-08-25"),
        ({**ORDER, "date": "2021-02-29"}, "date: expected a date as 2020-08-25 or 25-8-2020"),
        ({**ORDER, "budget": 0}, "budget: expected a number greater than 0"),
        ({**ORDER, "documents": []}, "documents: expected at least 1 item"),
        ({**ORDER, "documents": [{"text": ""}]}, "documents.0.text: expected at least 1 character"),
        ({**ORDER, "documents": [{"text": "x"}] * (MOST_DOCUMENTS + 1)}, "documents: expected at most 64 items"),
        (
            {**ORDER, "documents": [{"name": "a.txt", "file": ""}]},
            "documents.0.file: expected a file with text, got an",
        ),
        ({**ORDER, "documents": {"a.md": "A text."}}, "documents: expected a list"),
        ({**ORDER, "documents": [{"text": "x", "path": "/etc/passwd"}]}, "documents.0.path: unknown field"),
        ({**ORDER, "store": "aster"}, "the request: expected either 'documents' or 'store'; give one of them"),
        ({"claim": "A claim."}, "the request: expected either 'documents' or 'store'"),
        ({"documents": [{"text": "x"}]}, "claim: expected a value, got none"),
        ([], "the request: expected "),
    ],
)
def test_names_a_bad_field_without_repeating_its_value(body, says):
    answer = serve(lambda client: client.post("/claims", json=body))
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(says), answer.json()
    assert "passwd" not in answer.text and "validation" not in answer.text and len(answer.text) < 300


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"claim": "\\ud800", "documents": [{"text": "x"}]}', 422),
        (b'{"claim": "x", "documents": [{"text": "x"}], "\\ud800": 1}', 422),
        (b'{"claim": "x", "documents": [{"text": "x"}], "budget": NaN}', 422),
        (b'{"claim": "x", "documents": [{"text": "x"}], "budget": 1e999}', 422),
        (b"[" * 100_000, 400),
        (b"\xff\xff", 400),
        (b'{"claim": ' + b"1" * 5000 + b"}", 400),
        (b"{", 422),
        (b"", 422),
    ],
)
def test_rejects_unexpected_json(content, status):
    headers = {"Content-Type": "application/json"}
    answer = serve(lambda client: client.post("/claims", content=content, headers=headers))
    assert answer.status_code == status
    assert "expected" in answer.json()["detail"]


def test_rejects_a_form_from_another_site():
    body = orjson.dumps(ORDER)
    answer = serve(lambda client: client.post("/claims", content=body, headers={"Content-Type": "text/plain"}))
    assert answer.status_code == 422


@pytest.mark.parametrize("announced", [True, False])
def test_rejects_an_oversized_body(announced):
    async def chunks():
        for _ in range(3):
            yield b" " * 500

    content = b" " * 1500 if announced else chunks()
    headers = {"Content-Type": "application/json"}
    answer = serve(lambda client: client.post("/claims", content=content, headers=headers), body=1000)
    assert answer.status_code == 413 and "too large" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (f"/{'x' * HEAD}", {}, 414),
        (f"/?{'x' * HEAD}", {}, 414),
        ("/", {"X": "x" * HEAD}, 431),
        ("/", {f"X{n}": "x" * 100 for n in range(HEAD // 100)}, 431),
        (f"/?{'x' * (HEAD // 2)}", {"X": "x" * (HEAD // 2)}, 200),
    ],
)
def test_rejects_a_long_head(path, headers, status):
    answer = serve(lambda client: client.get(path, headers=headers))
    assert answer.status_code == status
    assert status == 200 or "expected at most" in answer.json()["detail"]


def test_leads_to_no_host_that_a_request_names():
    headers = {"Host": "evil.example", "Authorization": f"Bearer {TOKEN}"}
    answer = serve(lambda client: client.get("/stores/", headers=headers), token=TOKEN)
    assert (answer.status_code, "Location" in answer.headers) == (404, False)
    assert "no such address" in answer.json()["detail"]


def test_without_the_token_only_health_and_the_page_are_open():
    async def scenario(client):
        closed = ["/stores", "/metrics", "/openapi.json", "/claims/x", "/claims/x/thoughts", "/claims/x/report"]
        wrong = [{}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}]
        refused = [await client.get(path, headers=headers) for path in closed for headers in wrong]
        refused += [await client.post("/claims", json=ORDER), await client.delete("/claims/x")]
        assert {answer.status_code for answer in refused} == {401}
        assert refused[0].headers["WWW-Authenticate"] == "Bearer"
        assert [(await client.get(path)).status_code for path in ("/", "/healthz")] == [200, 200]
        client.headers["Authorization"] = f"bearer {TOKEN}"  # schemes have no case (RFC 9110)
        return (await ended(client, (await submit(client))["id"]))["state"]

    assert serve(scenario, token=TOKEN) == "done"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("localhost:65535", 200),
        ("localhost:65536", 400),
        ("localhost:99999", 400),
        ("localhost", 200),
        ("[::1]:8000", 200),
        ("[::1]", 200),
        ("127.0.0.1", 200),
        ("evil.example:8000", 400),
        ("", 400),
        ("[localhost:1", 400),
        ("localhost]", 400),
        ("[localhost]", 400),
        ("[::1%25eth0]", 400),
        ("[::1%lo]:80", 400),
        ("::1", 400),
        ("localhost:", 400),
        ("localhost:x", 400),
        ("localhost:80:80", 400),
        ("127.0.0.1@evil.example", 400),
        ("[127.0.0.1]", 400),
        ("[::1", 400),
    ],
)
def test_without_a_token_only_local_host_names_are_accepted(host, status):
    answer = serve(lambda client: client.get("/healthz", headers={"Host": host}))
    assert answer.status_code == status


def test_reports_failures_without_internal_details(caplog):
    answers = Answers()
    answers.replace[AnswerQuestion] = lambda _: ModelError(ErrorKind.BACKEND, f"{SECRET} is gone")
    answers.replace[JudgeClaim] = lambda _: RuntimeError(f"{SECRET} fell over")

    async def scenario(client):
        job = await submit(client)
        stream = (await client.get(f"/claims/{job['id']}/thoughts")).text
        report = (await client.get(f"/claims/{job['id']}/report")).text
        return await ended(client, job["id"]), stream, report

    progress, stream, report = serve(scenario, engine_of(answers))
    messages = [failure["message"] for failure in progress["result"]["failures"]]
    assert any(message.startswith("backend error;") for message in messages)
    assert any(message.startswith("RuntimeError;") for message in messages)
    for shown in (str(progress), stream, report):
        assert "key@" not in shown and "Traceback" not in shown
    assert f"{SECRET} is gone" in caplog.text


def test_an_internal_error_is_logged_and_not_shown(monkeypatch, caplog):
    monkeypatch.setattr("system.app.service.worker.public_result", lambda _: 1 / 0)

    async def scenario(client):
        job = await submit(client)
        end = events_of((await client.get(f"/claims/{job['id']}/thoughts")).text)[-1][0]
        return end, await ended(client, job["id"])

    end, progress = serve(scenario)
    assert (end, progress["state"], progress["result"]) == ("failed", "failed", None)
    assert "ZeroDivisionError" in caplog.text and "ZeroDivisionError" not in str(progress)


def test_a_wrong_method_gets_the_allowed_ones():
    answer = serve(lambda client: client.put("/claims/x"))
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, DELETE")


def test_only_listed_stores_are_opened(stores):
    async def scenario(client):
        assert (await client.get("/stores")).json() == {"stores": ["aster"]}
        outside = [
            "../outside",
            str(stores.parent / "outside"),
            "outside",
            ".hidden",
            "aster.json",
            "..",
            "\0",
            "aster/",
        ]
        for name in outside:
            answer = await client.post("/claims", json={"claim": ORDER["claim"], "store": name})
            assert answer.status_code == 404, name
        job = await client.post("/claims", json={"claim": ORDER["claim"], "store": "aster"})
        return await ended(client, job.json()["id"])

    assert serve(scenario, stores=stores)["result"]["verdict"]["label"] == "Supported"
