"""Claims in the service: they wait, run beside each other, are deleted, and end."""

import asyncio
import threading
import time

import orjson
import pytest

from knowledge_store.isolation import isolated
from knowledge_store.pages import documents
from system.app.service.jobs import Job
from system.app.service.schema import State, UploadedDocument
from system.app.service.worker import Order
from system.strategies.steps.tasks.judge_claim import JudgeClaim
from tests.helpers.bridge import CLAIM, Answers
from tests.helpers.processes import PATIENCE
from tests.helpers.serving import BUDGET, ORDER, Gate, ended, engine_of, events_of, in_state, serve, submit


def test_a_full_queue_says_when_to_retry():
    gate = Gate()

    async def scenario(client):
        running = await submit(client)
        await in_state(client, running["id"], "running")
        waiting = [await submit(client) for _ in range(2)]
        assert [job["position"] for job in waiting] == [0, 1]
        refused = await client.post("/claims", json=ORDER)
        gate.opened.set()
        assert all([(await ended(client, job["id"]))["state"] == "done" for job in (running, *waiting)])
        return refused, (await client.post("/claims", json=ORDER)).status_code, (await client.get("/metrics")).text

    refused, later, metrics = serve(scenario, engine_of(gate, run__max_concurrent_claims=1), queue=2)
    assert refused.status_code == 429 and later == 202
    assert int(refused.headers["Retry-After"]) == BUDGET  # the budget, as no claim has ended yet
    assert "2 claims are waiting" in refused.json()["detail"]
    assert "factcheck_rejected_total 1.0" in metrics
    assert 'factcheck_claims_total{state="done"} 3.0' in metrics


def test_a_budget_cannot_exceed_the_services():
    async def scenario(client):
        return [(await submit(client, budget=budget))["budget"] for budget in (5, BUDGET + 1)]

    assert serve(scenario) == [5, BUDGET]


def test_a_deadline_ends_a_hanging_claim():
    async def scenario(client):
        return await ended(client, (await submit(client, budget=0.3))["id"])

    result = serve(scenario, engine_of(Gate()))["result"]
    assert result["timing"]["cut_short"]
    assert result["verdict"]["label"] == "Not Enough Evidence"


@pytest.mark.parametrize("state", ["queued", "running"])
def test_deleting_a_claim_stops_its_work_and_ends_its_streams(state, monkeypatch):
    gate, followed, follow = Gate(), asyncio.Event(), Job.follow

    def following_job(job, start, stopping):
        followed.set()
        return follow(job, start, stopping)

    monkeypatch.setattr(Job, "follow", following_job)

    async def scenario(client):
        jobs = [await submit(client), await submit(client)]
        await in_state(client, jobs[0]["id"], "running")
        wanted = jobs[0 if state == "running" else 1]["id"]
        following = asyncio.create_task(client.get(f"/claims/{wanted}/thoughts"))
        await followed.wait()
        assert (await client.delete(f"/claims/{wanted}")).status_code == 204
        assert (await client.get(f"/claims/{wanted}")).status_code == 404
        health = (await client.get("/healthz")).json()
        return events_of((await following).text)[-1][0], health["queued"] + health["running"]

    end, left = serve(scenario, engine_of(gate, run__max_concurrent_claims=1))
    assert (end, left) == ("cancelled", 1)


def test_hanging_documents_cost_only_their_own_claims(monkeypatch):
    begun = []

    def hang(_, __, name, limits):
        begun.append(name)
        return isolated(limits, time.sleep, 600)

    monkeypatch.setattr(documents, "read_document", hang)
    files = [{"name": f"{number}.pdf", "file": "AAAA"} for number in range(20)]

    async def scenario(client):
        attacks = [await submit(client, documents=files, budget=2.0) for _ in range(4)]  # two rounds of two
        failed = [(await ended(client, job["id"]))["result"]["failures"] for job in attacks]
        tried = len(begun)
        innocent = (await ended(client, (await submit(client))["id"]))["result"]
        return failed, tried, innocent

    failed, tried, innocent = serve(scenario, engine_of(Answers(), run__max_concurrent_claims=2))
    assert not innocent["failures"] and not innocent["timing"]["cut_short"]
    assert all(any("left out: the time ran out" in one["message"] for one in failures) for failures in failed)
    assert len(begun) == tried < 4 * len(files), "no thread reads on for a claim that has ended"


def test_deleting_a_claim_frees_its_slot():
    gate = Gate()

    async def scenario(client):
        first, second = await submit(client), await submit(client)
        await in_state(client, first["id"], "running")
        await client.delete(f"/claims/{first['id']}")
        await in_state(client, second["id"], "running")
        gate.opened.set()
        return (await ended(client, second["id"]))["state"]

    assert serve(scenario, engine_of(gate, run__max_concurrent_claims=1)) == "done"


def test_ended_claims_make_room_for_newer_ones():
    async def scenario(client):
        ids = [(await submit(client))["id"] for _ in range(4)]
        for claim_id in ids[-1:]:
            await ended(client, claim_id)
        return [(await client.get(f"/claims/{claim_id}")).status_code for claim_id in ids]

    assert serve(scenario, engine_of(Answers(), run__max_concurrent_claims=1), kept=2) == [404, 404, 200, 200]


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


def test_an_ended_job_holds_no_documents_and_stays_ended():
    job = Job(Order(CLAIM, (UploadedDocument(text="x"),), budget=1.0))
    job.enter(State.CANCELLED)
    job.enter(State.RUNNING)
    assert (job.state, job.order.material) == (State.CANCELLED, ())


def test_concurrent_claims_are_not_mixed_up():
    async def scenario(client):
        jobs = [await submit(client, claim=f"The Aster bridge opened in {year}.") for year in (1931, 1932)]
        return [(await ended(client, job["id"]))["result"]["claim"]["text"] for job in jobs]

    assert serve(scenario) == ["The Aster bridge opened in 1931.", "The Aster bridge opened in 1932."]


def test_a_store_that_vanishes_is_a_named_failure(stores):
    gate = Gate()

    async def scenario(client):
        blocking = await submit(client)
        await in_state(client, blocking["id"], "running")
        job = await client.post("/claims", json={"claim": ORDER["claim"], "store": "aster"})
        (stores / "aster.json").unlink()
        gate.opened.set()
        return await ended(client, job.json()["id"])

    progress = serve(scenario, engine_of(gate, run__max_concurrent_claims=1), stores=stores)
    assert progress["result"]["verdict"]["label"] == "Not Enough Evidence"
    (failure,) = (f for f in progress["result"]["failures"] if f["operation"] == "read")
    assert failure["message"] == "store: missing file" and failure["unanswered"]
    assert str(stores) not in orjson.dumps(progress).decode()
