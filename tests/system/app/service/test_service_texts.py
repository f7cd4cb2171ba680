"""Texts over HTTP, with a scripted model: each statement is told as it is done, and the page shows what is known."""

import asyncio
from base64 import b64encode

import pytest

from system.app.service.schema import TEXT
from tests.helpers.serving import DOCUMENTS, Gate, engine_of, events_of, in_state, serve, submit

ORDER = {
    "text": "A bridge and its ferry\n\nThe Aster bridge opened in 1932. Is it not beautiful? It replaced a ferry.",
    "documents": DOCUMENTS,
}
PAGE = b"<html><body><h1>Aster</h1><p>The Aster bridge opened in 1932.</p><nav>Menu</nav></body></html>"


async def submitted(client, order=ORDER):
    answer = await client.post("/texts", json=order)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/texts/{answer.json()['id']}"
    return answer.headers["Location"]


async def followed(client, address):
    return events_of((await client.get(f"{address}/statements")).text)


def filed(data, name=""):
    return {"file": b64encode(data).decode(), "name": name}


def text_of(data, name=""):
    return {**filed(data, name), "documents": DOCUMENTS}


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


@pytest.mark.parametrize("name", ["aster.html", ""])
def test_a_text_may_be_a_file(name):
    async def scenario(client):
        return await followed(client, await submitted(client, text_of(PAGE, name)))

    _, _, progress = serve(scenario)[-1]
    assert [one["text"] for one in progress["result"]["statements"]] == ["The Aster bridge opened in 1932."]


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        (text_of(b"%PDF-1.4 broken", "a.pdf"), "cannot be read"),
        (text_of(b"a b " * TEXT, "a.txt"), "expected at most 100,000"),
        ({**ORDER, "documents": [filed(b"%PDF-1.4 broken", "b.pdf")]}, "b.pdf: skipped, cannot be read"),
    ],
)
def test_a_text_that_cannot_be_checked_says_so(order, problem):
    async def scenario(client):
        return await followed(client, await submitted(client, order))

    name, _, progress = serve(scenario)[-1]
    assert name == "failed" and problem in progress["problem"]


def test_one_text_runs_at_a_time_beside_claims():
    async def scenario(client):
        first = await submitted(client)
        while (await client.get(first)).json()["state"] == "queued":
            await asyncio.sleep(0.01)
        second = await submitted(client)
        claim = await submit(client)
        await in_state(client, claim["id"], "running")
        waiting, early = (await client.get(second)).json(), await client.get(f"{second}/report")
        assert (await client.delete(first)).status_code == 204
        return waiting, early, (await client.get(first)).status_code, (await client.get(f"/claims/{second[7:]}"))

    waiting, early, gone, other = serve(scenario, engine_of(Gate(), run__max_concurrent_claims=2))
    assert waiting["state"] == "queued" and early.status_code == 409 and gone == other.status_code == 404
