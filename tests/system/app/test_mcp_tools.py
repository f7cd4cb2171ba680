"""The tools of the MCP server, as the protocol's own client sees them; no process, and no language model."""

import asyncio
import json
import re
import threading
from pathlib import Path

import pytest
from mcp import Client

from factgraph import FactChecker
from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.page import Flaws
from knowledge_store.searchers.archive import Archive
from system.app.cli import COMMANDS, app
from system.app.mcp.desk import Desk
from system.app.mcp.records import Progress
from system.app.mcp.server import Server, Tools
from system.check import Engine
from system.models.base import ModelUnavailable
from system.models.extractive import ExtractiveModel
from system.settings import load
from tests.helpers.bridge import BagOfWords
from tests.helpers.processes import PATIENCE

NOTES = {"name": "notes.md", "text": "The Aster bridge opened in 1932. The Aster bridge carries two lanes."}
TEXT = "The Aster bridge opened in 1931. The Aster bridge carries two lanes. Is it not old?"
CITING = "The Aster bridge [opened in 1931](notes.md). Its [toll](https://gone.example) was high."
BODY = 20_000
CLAIM = {"claim": "The Aster bridge opened in 1931.", "documents": [NOTES]}


def desk(*sources, **settings):
    settings = load("laptop", {"budget": 3600.0, **settings})
    checker = FactChecker(engine=Engine(ExtractiveModel(BagOfWords()), BagOfWords(), settings))
    return Desk(checker, [str(source) for source in sources])


def server(load=desk, slots=2, queue=16):
    return Server(Tools(load, slots, queue), BODY)


def in_session(work, serving=None):
    """Let ``work`` use a client of a server that starts and stops with it."""

    async def session():
        async with Client(serving or server(), read_timeout_seconds=PATIENCE) as client:
            return await work(client)

    return asyncio.run(session())


def called(name, arguments, serving=None, heard=None):
    """The result of one call; ``heard`` collects its progress."""

    async def listen(*progress):
        heard.append(progress)

    return in_session(
        lambda client: client.call_tool(name, arguments, progress_callback=None if heard is None else listen), serving
    )


def answer(name, arguments, serving=None, heard=None):
    result = called(name, arguments, serving, heard)
    assert not result.is_error, result.content
    return result.structured_content


def refusal(name, arguments, serving=None):
    result = called(name, arguments, serving)
    assert result.is_error and len(result.content) == 1
    return result.content[0].text


def test_the_tools_publish_closed_schemas_and_outputs():
    tools = {tool.name: tool for tool in in_session(lambda client: client.list_tools()).tools}
    assert list(tools) == ["check_claim", "check_text", "check_citations", "search_archive"]
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
    assert not any(tool.input_schema["additionalProperties"] for tool in tools.values())
    assert tools["check_text"].input_schema["properties"]["text"]["maxLength"] == 100_000
    assert tools["check_claim"].input_schema["required"] == ["claim"]
    assert "label" in tools["check_claim"].output_schema["required"]


def test_the_docs_name_every_tool_and_a_configuration():
    page = (Path(__file__).resolve().parents[3] / "docs" / "service.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `(\w+)` \|", page.partition("## Assistants")[2], re.MULTILINE)
    assert described == [tool.name for tool in in_session(lambda client: client.list_tools()).tools]
    (block,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    command, *arguments = json.loads(block)["mcpServers"]["factgraph"]["args"]
    assert command in COMMANDS
    _, bound, _ = app.parse_args([command, *arguments])
    assert bound.arguments["options"].documents == ["/home/me/notes"]


def test_a_claim_gets_a_verdict_with_its_source():
    heard = []
    found = answer("check_claim", CLAIM, heard=heard)
    assert found["label"] == "Refuted" and found["corrected"] == "The Aster bridge opened in 1932."
    assert "“The Aster bridge opened in 1932.”" in found["justification"]
    assert found["evidence"][0] == {"address": "notes.md", "text": NOTES["text"]} and found["failures"] == []
    done = [done for done, _, _ in heard]
    assert done == sorted(set(done)) and heard[-1][2] == "verdict"


def test_each_statement_of_a_text_is_checked():
    heard = []
    found = answer("check_text", {"text": TEXT, "documents": [NOTES]}, heard=heard)
    assert [one["label"] for one in found["statements"]] == ["Refuted", "Supported"]
    assert [one["claim"] for one in found["statements"]] == TEXT.split(" Is")[0].replace(". ", ".|").split("|")
    assert found["score"] == 0.5 and found["counts"]["Refuted"] == 1
    assert [progress[:2] for progress in heard if progress[1]] == [(1, 2), (2, 2)]


def test_each_citation_is_checked_against_its_source():
    heard = []
    found = answer("check_citations", {"text": CITING, "documents": [NOTES]}, heard=heard)
    assert [one["outcome"] for one in found["citations"]] == ["contradicted", "source not readable"]
    assert found["citations"][0]["source"] == "notes.md" and found["counts"]["contradicted"] == 1
    assert heard[-1][:2] == (2, 2)


def test_the_servers_own_documents_are_the_default(tmp_path):
    (tmp_path / "notes.md").write_text(NOTES["text"])
    own = server(lambda: desk(tmp_path))
    assert answer("check_claim", {"claim": CLAIM["claim"]}, own)["label"] == "Refuted"
    own = server(lambda: desk(tmp_path))
    (hit,) = answer("search_archive", {"query": "When did the Aster bridge open?"}, own)["passages"]
    assert hit["address"] == "notes.md" and 0 < hit["score"] <= 1


def test_an_archive_is_searched_and_checked_against(tmp_path):
    for name, text in (("aster.md", NOTES["text"]), ("ferry.md", "The ferry of Corvane crossed every hour.")):
        (tmp_path / name).write_text(text)
    archive = tmp_path / "archive.sqlite"
    Archive(archive).add(read_documents([tmp_path], Flaws()))

    def opened():
        return desk(search=str(archive))

    found = answer("search_archive", {"query": "How often did the ferry cross?", "limit": 1}, server(opened))
    assert [one["address"] for one in found["passages"]] == ["ferry.md"]
    assert answer("check_claim", {"claim": CLAIM["claim"]}, server(opened))["label"] == "Refuted"


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("check_claim", {}, "claim: expected a value, got none"),
        ("check_claim", {"claim": " \n"}, "claim: expected some text"),
        ("check_claim", {"claim": 7}, "claim: expected a valid string"),
        ("check_claim", CLAIM | {"day": "1"}, "day: unknown argument; check_claim takes claim, documents, "),
        ("check_claim", CLAIM | {"date": "May"}, "date: expected the day it was made, as 25-8-2020 or 2020-08-25"),
        ("check_claim", CLAIM | {"documents": [{"name": "a"}]}, "documents.0.text: expected a value, got none"),
        ("check_claim", CLAIM | {"documents": {"a.md": "A text."}}, "documents: expected a list of {name, text}"),
        ("check_claim", CLAIM | {"documents": ["A text."]}, "documents.0: expected an object"),
        ("check_claim", CLAIM | {"documents": [NOTES, NOTES]}, "documents: two are named 'notes.md'"),
        ("check_citations", {"text": "It cites nothing."}, "text: expected links, footnotes or numbered references"),
        ("search_archive", {"query": "a", "limit": 0}, "limit: expected a number greater than or equal to 1"),
        ("check_text", {"text": TEXT}, "no evidence: give documents, or start this server with --documents or "),
        ("search_archive", {"query": "bridge"}, "no evidence"),
        ("check_clam", {}, "no tool 'check_clam'; expected one of check_claim, "),
    ],
)  # fmt: skip
def test_errors_are_one_sentence_of_ours(name, arguments, message):
    said = refusal(name, arguments)
    assert said.startswith(message) and "\n" not in said and "pydantic" not in said


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("check_claim", {"claim": "a" * 501}, "claim: expected at most 500 characters"),
        ("check_text", {"text": "a " * 50_001}, "the arguments are too large, expected at most 20,000 bytes"),
        ("check_claim", CLAIM | {"documents": [{"text": "a"}] * 65}, "documents: expected at most 64 items"),
        ("search_archive", {"query": "a", "limit": 51}, "limit: expected a number less than or equal to 50"),
    ],
)
def test_limits_are_told(name, arguments, message):
    assert refusal(name, arguments).startswith(message)


def test_a_text_has_a_limit_of_its_own():
    large = Server(Tools(desk, 2, 16), 2**20)
    assert refusal("check_text", {"text": "a " * 50_001}, large).startswith("text: expected at most 100000 characters")


def test_a_call_too_many_is_refused_while_others_wait():
    opened = threading.Event()

    def slow():
        assert opened.wait(PATIENCE)
        return desk()

    async def crowd(client):
        calls = [asyncio.create_task(client.call_tool("check_claim", CLAIM)) for _ in range(3)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        opened.set()
        return [one.result() for one in done], await asyncio.gather(*calls)

    first, everyone = in_session(crowd, server(slow, slots=1, queue=1))
    assert [one.content[0].text for one in first] == ["1 calls are waiting, as many as may; try again later"]
    assert [one.is_error for one in everyone].count(True) == 1


def test_calls_are_told_that_the_engine_loads_or_cannot():
    def broken():
        raise ModelUnavailable("weights not found; factgraph fetch downloads them")

    said = refusal("check_claim", CLAIM, server(broken))
    assert said == "the engine cannot be loaded: weights not found; factgraph fetch downloads them"


def test_a_fault_of_ours_tells_no_particulars(monkeypatch, caplog):
    def fault(*_):
        raise RuntimeError("secret/path")

    monkeypatch.setattr(Desk, "check_claim", fault)
    assert refusal("check_claim", CLAIM) == "check_claim failed; the server's log has the details"
    assert "secret/path" in caplog.text


def test_a_cancelled_call_ends_its_work(monkeypatch):
    closed = threading.Event()

    def endless(*_):
        try:
            for done in range(1, 10**9):
                yield Progress(done, None, "counting")
        finally:
            closed.set()

    monkeypatch.setattr(Desk, "check_claim", endless)

    async def give_up(client):
        begun = asyncio.Event()

        async def heard(done, *_):
            if done:  # before, the engine was loading
                begun.set()

        call = asyncio.create_task(client.call_tool("check_claim", CLAIM, progress_callback=heard))
        await begun.wait()
        call.cancel()
        return await asyncio.to_thread(closed.wait, PATIENCE)

    assert in_session(give_up)
