"""Claims over HTTP, with a scripted model: they wait, run, are followed, are deleted, and end."""

import asyncio
import threading
import time

import httpx2
import pytest

from knowledge_store.isolation import isolated
from knowledge_store.pages import documents
from knowledge_store.pages.documents import read_document
from knowledge_store.ranking import warm_up
from system.app.service.jobs import Job
from system.app.service.listening import HEAD
from system.app.service.schema import EXAMPLE
from system.graph.graph import Graph
from system.graph.records import Label
from system.strategies.steps.tasks import JudgeClaim
from tests.helpers.bridge import CLAIM, Answers
from tests.helpers.processes import PATIENCE
from tests.helpers.serving import (
    DOCUMENTS,
    ORDER,
    Gate,
    ended,
    engine_of,
    events_of,
    in_state,
    listening,
    serve,
    submit,
)


def test_a_claim_is_followed_by_thought_to_its_result_and_report():
    gate = Gate()

    async def scenario(client):
        job = await submit(client)
        address = f"/claims/{job['id']}"
        following = asyncio.create_task(client.get(f"{address}/thoughts"))
        early = await client.get(f"{address}/report")
        await in_state(client, job["id"], "running")
        assert not following.done()
        gate.opened.set()
        whole = events_of((await following).text)
        rest = events_of((await client.get(f"{address}/thoughts", headers={"Last-Event-ID": "3"})).text)
        return early, whole, rest, (await client.get(address)).json(), await client.get(f"{address}/report")

    early, whole, rest, progress, report = serve(scenario, engine_of(gate))
    *thoughts, (end, _, data) = whole
    assert [number for _, number, _ in thoughts] == [str(i + 1) for i in range(progress["thoughts"])]
    result = progress["result"]
    assert (result["claim"]["text"], result["claim"]["date"]) == (ORDER["claim"], ORDER["date"])
    cited = {passage["address"] for pair in result["evidence"] for passage in pair["passages"]}
    assert cited and cited <= {one["name"] for one in DOCUMENTS}
    graph = Graph.from_json({"thoughts": [thought for _, _, thought in thoughts]})
    assert graph.thoughts[-1].content.label is Label.SUPPORTED
    assert (end, data) == ("done", progress) and rest == whole[3:]
    assert early.status_code == 409 and "has no report yet" in early.json()["detail"]
    assert report.headers["content-type"].startswith("text/html") and ORDER["claim"] in report.text


def test_pages_run_only_their_own_script_and_the_schema_has_examples():
    async def scenario(client):
        page, schema = await client.get("/"), (await client.get("/openapi.json")).json()
        assert (await client.get("/docs")).status_code == 200
        assert EXAMPLE in schema["components"]["schemas"]["Submission"]["examples"]
        assert "HTTPValidationError" not in schema["components"]["schemas"]
        assert (await client.post("/claims", json=EXAMPLE)).status_code == 202
        return page

    page = serve(scenario)
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert "{{" not in page.text
    assert "http://" not in page.text.replace("http://www.w3.org/2000/svg", "").replace("https?://", "")


def test_a_full_queue_says_when_to_retry():
    gate = Gate()

    async def scenario(client):
        running = await submit(client)
        await in_state(client, running["id"], "running")
        waiting = [await submit(client) for _ in range(2)]
        assert [job["position"] for job in waiting] == [0, 1]
        refused = await client.post("/claims", json=ORDER)
        text = await client.post("/texts", json={"text": CLAIM.text, "documents": DOCUMENTS})
        gate.opened.set()
        assert all([(await ended(client, job["id"]))["state"] == "done" for job in (running, *waiting)])
        return refused, text, (await client.post("/claims", json=ORDER)).status_code

    refused, text, later = serve(scenario, engine_of(gate, run__max_concurrent_claims=1, run__budget=600.0), queue=2)
    assert refused.status_code == text.status_code == 429 and later == 202
    assert int(refused.headers["Retry-After"]) == 600  # the budget, as no claim has ended yet
    assert "2 checks are waiting" in refused.json()["detail"]


def test_a_budget_ends_a_claim_and_cannot_exceed_the_services():
    async def scenario(client):
        assert (await submit(client, budget=4000))["budget"] == 3600
        return await ended(client, (await submit(client, budget=0.3))["id"])

    result = serve(scenario, engine_of(Gate()))["result"]
    assert result["cut_short"] and result["label"] == "Not Enough Evidence"


@pytest.mark.parametrize("state", ["queued", "running"])
def test_deleting_a_claim_stops_its_work_ends_its_streams_and_frees_its_slot(state, monkeypatch):
    gate, followed, follow = Gate(), asyncio.Event(), Job.follow

    def following_job(job, start):
        followed.set()
        return follow(job, start)

    monkeypatch.setattr(Job, "follow", following_job)

    async def scenario(client):
        jobs = [await submit(client), await submit(client)]
        await in_state(client, jobs[0]["id"], "running")
        wanted, other = [job["id"] for job in (jobs if state == "running" else reversed(jobs))]
        following = asyncio.create_task(client.get(f"/claims/{wanted}/thoughts"))
        await followed.wait()
        assert (await client.delete(f"/claims/{wanted}")).status_code == 204
        assert (await client.get(f"/claims/{wanted}")).status_code == 404
        await in_state(client, other, "running")
        gate.opened.set()
        return events_of((await following).text)[-1][0], (await ended(client, other))["state"]

    assert serve(scenario, engine_of(gate, run__max_concurrent_claims=1)) == ("cancelled", "done")


def test_hanging_documents_cost_only_their_own_claims(monkeypatch):
    begun = []

    def hang(source, suffix, name, limits):
        if not name.endswith(".pdf"):
            return read_document(source, suffix, name, limits)
        begun.extend([name] * bool(limits.left))
        return isolated(limits, time.sleep, 600)

    monkeypatch.setattr(documents, "read_document", hang)
    warm_up()  # as the service does when it starts
    files = [{"name": f"{number}.pdf", "file": "AAAA"} for number in range(20)]

    async def scenario(client):
        attacks = [await submit(client, documents=files, budget=2.0) for _ in range(4)]  # two rounds of two
        failed = [(await ended(client, job["id"]))["result"]["failures"] for job in attacks]
        tried = len(begun)
        innocent = (await ended(client, (await submit(client))["id"]))["result"]
        return failed, tried, innocent

    failed, tried, innocent = serve(scenario, engine_of(Answers(), run__max_concurrent_claims=2))
    assert not innocent["failures"] and not innocent["cut_short"]
    assert all(any("the time ran out" in one for one in failures) for failures in failed)
    assert len(begun) == tried < 4 * len(files), "no thread reads on for a claim that has ended"


def test_the_service_stops_with_claims_under_way():
    async def scenario(client):
        job = await submit(client)
        await in_state(client, job["id"], "running")
        await submit(client)

    engine = engine_of(Gate(), run__max_concurrent_claims=1)
    serve(scenario, engine)
    assert engine.model.closed


def test_a_blocking_model_does_not_block_clients():
    answers, blocked, released = Answers(), threading.Event(), threading.Event()

    def block(_):
        blocked.set()
        released.wait(PATIENCE)

    answers.replace[JudgeClaim] = block

    async def scenario(client):
        job = await submit(client)
        await asyncio.to_thread(blocked.wait, PATIENCE)
        try:
            return (await client.get("/healthz")).json()["running"], (await client.get(f"/claims/{job['id']}")).json()
        finally:
            released.set()

    running, progress = serve(scenario, engine_of(answers))
    assert (running, progress["state"]) == (1, "running")


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("GET", {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "eA=="}, 200),
        ("GET", {"X": "x" * (HEAD + 2**18)}, 400),
        ("PUT", {}, 405),
    ],
)
def test_real_connections_are_bounded(method, headers, status):
    with listening(engine_of(Answers()), connections=3) as address, httpx2.Client(timeout=PATIENCE) as client:
        try:
            assert client.request(method, f"{address}healthz", headers=headers).status_code == status
        except httpx2.TransportError:
            assert status == 400  # the connection was closed while the head was being sent
        others = [httpx2.Client(timeout=PATIENCE) for _ in range(3)]
        statuses = [one.get(f"{address}healthz").status_code for one in others]
        assert statuses[-1] == 503 and 200 in statuses
        for one in others:
            one.close()
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200
