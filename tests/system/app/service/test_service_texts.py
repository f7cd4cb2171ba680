"""Texts over HTTP, with a scripted model: each statement is told as it is done, and the page shows what is known."""

import asyncio
from base64 import b64encode

import pytest

from system.app.service.schema import TEXT
from system.models.base import ErrorKind, ModelError
from tests.helpers.serving import DOCUMENTS, TOKEN, Gate, engine_of, events_of, serve

ORDER = {
    "text": "A bridge and its ferry\n\nThe Aster bridge opened in 1932. Is it not beautiful? It replaced a ferry.",
    "documents": DOCUMENTS,
}


async def submitted(client, **changes):
    answer = await client.post("/texts", json={**ORDER, **changes})
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/texts/{answer.json()['id']}"
    return answer.headers["Location"]


async def followed(client, address):
    return events_of((await client.get(f"{address}/statements")).text)


def test_each_statement_of_a_text_is_told_then_its_result():
    async def scenario(client):
        address = await submitted(client)
        events = await followed(client, address)
        rest = await client.get(f"{address}/statements", headers={"Last-Event-ID": "2"})
        return events, events_of(rest.text), (await client.get(f"{address}/report")).text

    events, rest, page = serve(scenario)
    assert [name for name, *_ in events] == ["text", "statement", "statement", "done"]
    assert events[0][2]["text"] == ORDER["text"]
    end = events[-1][2]
    assert (end["statements"], end["checked"], end["problem"]) == (2, 2, "")
    result = end["result"]
    assert [one["text"] for one in result["statements"]] == ["The Aster bridge opened in 1932.", "It replaced a ferry."]
    assert sum(result["counts"].values()) == 2
    assert rest == events[2:]
    assert page.count('class="claim ') == 2 and any(one["name"] in page for one in DOCUMENTS)


PAGE = b"<html><body><h1>Aster</h1><p>The Aster bridge opened in 1932.</p><nav>Menu</nav></body></html>"


@pytest.mark.parametrize("name", ["aster.html", ""])
def test_a_text_may_be_a_file(name):
    async def scenario(client):
        order = {"file": b64encode(PAGE).decode(), "documents": DOCUMENTS} | ({"name": name} if name else {})
        answer = await client.post("/texts", json=order)
        return await followed(client, answer.headers["Location"])

    _, _, progress = serve(scenario)[-1]
    assert [one["text"] for one in progress["result"]["statements"]] == ["The Aster bridge opened in 1932."]


@pytest.mark.parametrize(
    ("data", "problem"), [(b"%PDF-1.4 broken", "cannot be read"), (b"a b " * TEXT, "expected at most 100,000")]
)
def test_a_file_that_is_no_text_says_so(data, problem):
    async def scenario(client):
        name = "a.pdf" if b"PDF" in data else "a.txt"
        order = {"file": b64encode(data).decode(), "name": name, "documents": DOCUMENTS}
        answer = await client.post("/texts", json=order)
        return await followed(client, answer.headers["Location"])

    name, _, progress = serve(scenario)[-1]
    assert name == "failed" and problem in progress["problem"]


def test_a_failure_is_shown_at_its_statement_without_secrets():
    def broken(_):
        raise ModelError("http://user:key@10.0.0.7/v1 is gone", ErrorKind.BACKEND)

    async def scenario(client):
        address = await submitted(client)
        return await followed(client, address), (await client.get(f"{address}/report")).text

    events, page = serve(scenario, engine_of(broken))
    assert events[-1][0] == "done"
    assert all(one["failures"] for one in events[-1][2]["result"]["statements"])
    assert "10.0.0.7" not in str(events) + page


def test_a_text_without_readable_documents_says_so():
    async def scenario(client):
        return await followed(client, await submitted(client, documents=[{"name": "empty", "text": " "}]))

    name, _, progress = serve(scenario)[-1]
    assert name == "failed" and progress["problem"] == "empty is skipped: no text in it can be read"


def test_a_text_under_way_is_cancelled_and_others_wait():
    async def scenario(client):
        first = await submitted(client)
        while (await client.get(first)).json()["state"] == "queued":
            await asyncio.sleep(0.01)
        second = await submitted(client)
        full = await client.post("/texts", json=ORDER)
        waiting = (await client.get(second)).json()
        early = await client.get(f"{second}/report")
        assert (await client.delete(first)).status_code == 204
        return full, waiting, early, (await client.get(first)).status_code

    full, waiting, early, gone = serve(scenario, engine_of(Gate()), queue=1)
    assert (full.status_code, "Retry-After" in full.headers) == (429, True)
    assert waiting["state"] == "queued" and early.status_code == 409 and gone == 404


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"text": "x" * (TEXT + 1)}, "text"),
        ({"text": " "}, "text"),
        ({"store": "0"}, "store"),
        ({"file": "YSBi"}, "file"),
    ],
)
def test_what_is_no_text_to_check_is_refused_by_field(changes, field):
    async def scenario(client):
        return await client.post("/texts", json={**ORDER, **changes})

    answer = serve(scenario)
    assert answer.status_code == 422 and field in answer.json()["detail"]


def test_texts_need_the_token_where_there_is_one():
    async def scenario(client):
        return (await client.post("/texts", json=ORDER)).status_code

    assert serve(scenario, token=TOKEN) == 401
