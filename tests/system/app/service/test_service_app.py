"""The service over HTTP, with a scripted model: what each address answers."""

import asyncio
from base64 import b64encode

import pytest

from system.app.service.schema import EXAMPLE
from system.check import Engine
from system.graph.graph import Graph
from system.graph.records import ClaimResult, Label
from system.models.extractive import ExtractiveModel
from system.strategies.steps.tasks.judge_claim import JudgeClaim, LabelClaim
from tests.helpers.bridge import CLAIM, Answers, BagOfWords, settings_with
from tests.helpers.serving import BUDGET, DOCUMENTS, ORDER, Gate, ended, engine_of, events_of, in_state, serve, submit


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


def test_a_refuted_claim_is_corrected():
    async def scenario(client):
        job = await submit(client, claim="The Aster bridge opened in 1931.")
        return await ended(client, job["id"])

    settings = settings_with(reading__document_strategy="entailment", run__budget=BUDGET)
    progress = serve(scenario, Engine(ExtractiveModel(BagOfWords()), BagOfWords(), settings))
    assert progress["result"]["correction"]["text"] == CLAIM.text


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


def test_the_schema_has_examples_that_the_service_takes():
    async def scenario(client):
        schema = (await client.get("/openapi.json")).json()
        assert EXAMPLE in schema["components"]["schemas"]["Submission"]["examples"]
        assert "HTTPValidationError" not in schema["components"]["schemas"]
        return (await client.post("/claims", json=EXAMPLE)).status_code

    assert serve(scenario) == 202


def test_the_page_runs_only_its_own_script():
    answer = serve(lambda client: client.get("/"))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert "{{" not in answer.text
    assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "").replace("https?://", "")


def test_a_claim_without_readable_documents_fails_and_says_so():
    documents = [{"name": "a.pdf", "file": b64encode(b"%PDF-1.4 broken").decode()}]

    async def scenario(client):
        answer = await client.post(
            "/claims", json={"claim": "The Aster bridge opened in 1931.", "documents": documents}
        )
        address = f"/claims/{answer.json()['id']}"
        events = events_of((await client.get(f"{address}/thoughts")).text)
        return events[-1], (await client.get(address)).json()

    (name, _, data), progress = serve(scenario)
    assert name == progress["state"] == "failed" and data["problem"] == progress["problem"]
    assert progress["problem"] == "a.pdf is skipped: no text in it can be read"


def test_the_docs_call_the_service_where_it_was_asked():
    async def scenario(client):
        page = (await client.get("/docs", headers={"Host": "localhost:8123"})).text
        return page, (await client.get("/openapi.json")).json()

    page, schema = serve(scenario)
    assert "http://localhost:8123/claims" in page and ":8000" not in page
    operations = [one for methods in schema["paths"].values() for one in methods.values()]
    answers = [answer for one in operations for answer in one["responses"].values()]
    assert "Successful Response" not in {answer["description"] for answer in answers}
    assert all(parameter["description"] for one in operations for parameter in one.get("parameters", ()))
