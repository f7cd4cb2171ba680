"""The service over HTTP, with a scripted model: what each address answers, and what clients do wrong."""

import asyncio
import threading

import orjson
import pytest

from system.app.service.jobs import Job
from system.app.service.schema import DOCUMENTS as MOST_DOCUMENTS
from system.app.service.schema import EXAMPLE, Document, State
from system.app.service.worker import Order
from system.graph.graph import Graph
from system.graph.records import ClaimResult, Label
from system.models.base import ErrorKind, ModelError
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.judge_claim import JudgeClaim, LabelClaim
from tests.helpers.bridge import CLAIM, Answers
from tests.helpers.processes import PATIENCE
from tests.helpers.serving import (
    BUDGET,
    DOCUMENTS,
    ORDER,
    TOKEN,
    Gate,
    ended,
    engine_of,
    events_of,
    in_state,
    serving,
    submit,
)

SECRET = "http://user:key@10.0.0.7/v1"


@pytest.fixture
def stores(tmp_path):
    """A folder of one store, beside a file that no name may reach."""
    folder = tmp_path / "stores"
    folder.mkdir()
    lines = [{"url": one["name"], "url2text": [one["text"]]} for one in DOCUMENTS]
    (folder / "aster.json").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    (folder / ".hidden.json").write_bytes(b"{}")
    (tmp_path / "outside.json").write_bytes(orjson.dumps(lines[0]))
    return folder


def serve(scenario, engine=None, **options):
    """Play a scenario, an async function of a client."""

    async def play():
        async with serving(engine or engine_of(Answers()), **options) as client:
            return await asyncio.wait_for(scenario(client), PATIENCE)

    return asyncio.run(play())


def test_a_claim_is_checked_against_its_documents():
    async def scenario(client):
        answer = await client.post("/claims", json=ORDER)
        assert answer.status_code == 202
        assert answer.headers["Location"] == f"/claims/{answer.json()['id']}"
        return await ended(client, answer.json()["id"])

    progress = serve(scenario)
    assert progress["state"] == "done"
    result = ClaimResult.model_validate(progress["result"])
    assert (result.claim.text, result.claim.date) == (ORDER["claim"], ORDER["date"])
    assert result.verdict.label is Label.SUPPORTED and not result.failures
    cited = {passage.url for pair in result.pairs for passage in pair.passages}
    assert cited and cited <= {one["name"] for one in DOCUMENTS}


def test_documents_without_a_name_are_numbered():
    async def scenario(client):
        job = await submit(client, documents=[{"text": one["text"]} for one in DOCUMENTS])
        return await ended(client, job["id"])

    passages = [answer["passage"] for pair in serve(scenario)["result"]["pairs"] for answer in pair["answers"]]
    assert {passage["url"] for passage in passages} <= {"document 1", "document 2", "document 3"}


@pytest.mark.parametrize(
    ("material", "judges"), [({"documents": DOCUMENTS}, set()), ({"store": "aster"}, {LabelClaim})]
)
def test_documents_are_read_and_stores_judged_by_the_model(stores, material, judges):
    answers, judged = Answers(), []

    def script(request):
        if isinstance(request.task, JudgeClaim | LabelClaim):
            judged.append(type(request.task))
        return answers(request)

    async def scenario(client):
        answer = await client.post("/claims", json={"claim": CLAIM.text, **material})
        return await ended(client, answer.json()["id"])

    engine = engine_of(script, reading__document_strategy="entailment", graph__justify=False, graph__debate=False)
    assert serve(scenario, engine, stores=stores)["state"] == "done"
    assert set(judged) == judges


def test_streams_the_graph_by_thought_and_ends_with_the_result():
    async def scenario(client):
        job = await submit(client)
        return (await client.get(f"/claims/{job['id']}/thoughts")).text, await ended(client, job["id"])

    text, progress = serve(scenario)
    *thoughts, (end, _, data) = events_of(text)
    assert [name for name, _, _ in thoughts] == ["thought"] * progress["thoughts"]
    assert [number for _, number, _ in thoughts] == [str(i + 1) for i in range(len(thoughts))]
    graph = Graph.from_json({"thoughts": [thought for _, _, thought in thoughts]})
    assert graph.thoughts[-1].content.label is Label.SUPPORTED
    assert (end, data) == ("done", progress)


def test_resumes_a_cut_stream_after_the_last_event():
    async def scenario(client):
        job = await submit(client)
        whole = events_of((await client.get(f"/claims/{job['id']}/thoughts")).text)
        rest = await client.get(f"/claims/{job['id']}/thoughts", headers={"Last-Event-ID": "3"})
        return whole, events_of(rest.text)

    whole, rest = serve(scenario)
    assert rest == whole[3:]


def test_thoughts_can_be_followed_as_they_come():
    gate = Gate()

    async def scenario(client):
        job = await submit(client)
        following = asyncio.create_task(client.get(f"/claims/{job['id']}/thoughts"))
        await in_state(client, job["id"], "running")
        assert not following.done()
        gate.opened.set()
        return events_of((await following).text)

    assert serve(scenario, engine_of(gate))[-1][0] == "done"


def test_the_report_is_there_when_the_claim_is_done():
    gate = Gate()

    async def scenario(client):
        job = await submit(client)
        early = await client.get(f"/claims/{job['id']}/report")
        gate.opened.set()
        await ended(client, job["id"])
        return early, await client.get(f"/claims/{job['id']}/report")

    early, report = serve(scenario, engine_of(gate))
    assert early.status_code == 409 and "once it is done" in early.json()["detail"]
    assert report.headers["content-type"].startswith("text/html")
    assert ORDER["claim"] in report.text and 'id="data-claim"' in report.text


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


def test_a_store_that_vanishes_leaves_a_verdict_and_a_named_failure(stores):
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


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({**ORDER, "claim": " \n "}, "claim: expected one statement that is true or false"),
        ({**ORDER, "claim": "x" * 2001}, "claim: expected at most 2000 characters"),
        ({**ORDER, "date": "yesterday"}, "date: expected the day it was made, as 25-8-2020 or 2020-08-25"),
        ({**ORDER, "date": "31-2-2021"}, "date: expected the day it was made, as 25-8-2020 or 2020-08-25"),
        ({**ORDER, "date": "2021-02-29"}, "date: expected a date as 2020-08-25 or 25-8-2020"),
        ({**ORDER, "budget": 0}, "budget: expected a number greater than 0"),
        ({**ORDER, "documents": []}, "documents: expected at least 1 item"),
        ({**ORDER, "documents": [{"text": ""}]}, "documents.0.text: expected at least 1 character"),
        ({**ORDER, "documents": [{"text": "x"}] * (MOST_DOCUMENTS + 1)}, "documents: expected at most 64 items"),
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
    assert "passwd" not in answer.text and len(answer.text) < 300


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"claim": "\\ud800", "documents": [{"text": "x"}]}', 422),
        (b'{"claim": "x", "documents": [{"text": "x"}], "\\ud800": 1}', 422),
        (b'{"claim": "x", "documents": [{"text": "x"}], "budget": NaN}', 422),
        (b'{"claim": "x", "documents": [{"text": "x"}], "budget": 1e999}', 422),
        (b"[" * 100_000, 400),
        (b"\xff\xff", 400),
        (b"{", 422),
        (b"", 422),
    ],
)
def test_rejects_unexpected_json(content, status):
    headers = {"Content-Type": "application/json"}
    answer = serve(lambda client: client.post("/claims", content=content, headers=headers))
    assert answer.status_code == status
    assert isinstance(answer.json()["detail"], str)


def test_accepts_both_date_formats():
    async def scenario(client):
        jobs = [await submit(client, date=date) for date in ("2021-05-03", "3-5-2021")]
        return [(await ended(client, job["id"]))["result"]["claim"]["date"] for job in jobs]

    assert serve(scenario) == ["3-5-2021", "3-5-2021"]


def test_reads_pasted_markdown_as_plain_text():
    async def scenario(client):
        text = "# History\n\nThe Aster bridge **opened** in [1932](https://a.example)."
        job = await submit(client, documents=[{"text": text}])
        return (await ended(client, job["id"]))["result"]

    texts = {answer["passage"]["text"] for pair in serve(scenario)["pairs"] for answer in pair["answers"]}
    assert texts and not any("**" in text or "](" in text for text in texts)


def test_a_page_documents_the_endpoints():
    page = serve(lambda client: client.get("/docs"))
    assert page.status_code == 200 and "script" not in page.headers["Content-Security-Policy"]
    assert "POST /claims" in page.text and "one statement that is true or false" in page.text
    assert "<code>failed</code>" in page.text
    assert "{{" not in page.text and "``" not in page.text and "<script" not in page.text


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


def test_without_the_token_only_health_and_the_page_are_open():
    async def scenario(client):
        closed = ["/stores", "/metrics", "/openapi.json", "/claims/x", "/claims/x/thoughts", "/claims/x/report"]
        wrong = [{}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}]
        refused = [await client.get(path, headers=headers) for path in closed for headers in wrong]
        refused += [await client.post("/claims", json=ORDER), await client.delete("/claims/x")]
        assert {answer.status_code for answer in refused} == {401}
        assert refused[0].headers["WWW-Authenticate"] == "Bearer"
        assert [(await client.get(path)).status_code for path in ("/", "/healthz")] == [200, 200]
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        return (await ended(client, (await submit(client))["id"]))["state"]

    assert serve(scenario, token=TOKEN) == "done"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
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


def test_the_schema_has_examples_that_the_service_takes():
    async def scenario(client):
        schema = (await client.get("/openapi.json")).json()
        assert EXAMPLE in schema["components"]["schemas"]["Submission"]["examples"]
        assert "HTTPValidationError" not in schema["components"]["schemas"]
        return (await client.post("/claims", json=EXAMPLE)).status_code

    assert serve(scenario) == 202


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
    job = Job(Order(CLAIM, (Document(text="x"),), budget=1.0))
    job.enter(State.CANCELLED)
    job.enter(State.RUNNING)
    assert (job.state, job.order.material) == (State.CANCELLED, ())


def test_concurrent_claims_are_not_mixed_up():
    async def scenario(client):
        jobs = [await submit(client, claim=f"The Aster bridge opened in {year}.") for year in (1931, 1932)]
        return [(await ended(client, job["id"]))["result"]["claim"]["text"] for job in jobs]

    assert serve(scenario) == ["The Aster bridge opened in 1931.", "The Aster bridge opened in 1932."]


def test_the_page_runs_only_its_own_script():
    answer = serve(lambda client: client.get("/"))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert "{{" not in answer.text
    assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "").replace("https?://", "")
