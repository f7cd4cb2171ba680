"""The tools of the MCP server, as the protocol's own client sees them; no process, and no language model."""

import asyncio
import json
import re
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from mcp import Client

from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.page import Flaws
from knowledge_store.searchers.archive import Archive
from system.api import FactChecker
from system.app.cli import COMMANDS, app
from system.app.mcp.server import Tools, make_server
from system.app.service import checks
from system.models.base import ModelUnavailable
from system.settings import load
from tests.helpers.by_words import reading_engine
from tests.helpers.processes import PATIENCE

NOTES = {"name": "notes.md", "text": "The Aster bridge opened in 1932. The Aster bridge carries two lanes."}
TEXT = "The Aster bridge opened in 1931. The Aster bridge carries two lanes. Is it not old?"
CITING = "The Aster bridge [opened in 1931](notes.md). Its [toll](https://gone.example) was high."
CLAIM = {"claim": "The Aster bridge opened in 1931.", "documents": [NOTES]}


def checker(**settings):
    return FactChecker(engine=reading_engine(load("laptop", {"budget": 3600.0, **settings})))


def server(load=checker, slots=2, queue=16, documents=(), patience=PATIENCE):
    return make_server(Tools(load, slots, queue, list(map(str, documents)), patience=patience))


def in_session(work, serving=None):
    """Let ``work`` use a client of a server that starts and stops with it."""

    async def session():
        async with Client(serving or server(), read_timeout_seconds=PATIENCE) as client:
            return await work(client)

    return asyncio.run(session())


def called(name, arguments, serving=None, heard=None):
    """The result of one call; ``heard`` collects its progress."""

    async def listen(*progress):
        if heard is not None:
            heard.append(progress)

    return in_session(lambda client: client.call_tool(name, arguments, progress_callback=listen), serving)


def answer(name, arguments, serving=None, heard=None):
    result = called(name, arguments, serving, heard)
    assert not result.is_error, result.content
    return result.structured_content


def test_the_tools_publish_closed_schemas():
    tools = {tool.name: tool for tool in in_session(lambda client: client.list_tools()).tools}
    assert list(tools) == ["check_claim", "check_text", "check_citations", "continue_check"]
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
    assert not any(tool.input_schema["additionalProperties"] for tool in tools.values())
    assert tools["check_text"].input_schema["properties"]["text"]["maxLength"] == 100_000
    assert tools["check_claim"].input_schema["required"] == ["claim"]


def test_the_docs_name_every_tool_and_a_configuration():
    page = (Path(__file__).resolve().parents[3] / "docs" / "service.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `(\w+)` \|", page.partition("## Assistants")[2], re.MULTILINE)
    assert described == [tool.name for tool in in_session(lambda client: client.list_tools()).tools]
    (block,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    command, *arguments = json.loads(block)["mcpServers"]["factgraph"]["args"]
    assert command in COMMANDS
    _, bound, _ = app.parse_args([command, *arguments])
    assert bound.arguments["documents"] == ["/home/me/notes"]


def test_each_statement_of_a_text_is_checked():
    heard = []
    found = answer("check_text", {"text": TEXT, "documents": [NOTES]}, heard=heard)
    assert [one["label"] for one in found["statements"]] == ["Refuted", "Supported"]
    assert [one["claim"] for one in found["statements"]] == TEXT.split(" Is")[0].replace(". ", ".|").split("|")
    assert found["counts"]["Refuted"] == 1 and "text" not in found
    assert [progress[:2] for progress in heard if progress[1]][-2:] == [(1, 2), (2, 2)]


def test_each_citation_is_checked_against_its_source():
    heard = []
    found = answer("check_citations", {"text": CITING, "documents": [NOTES]}, heard=heard)
    assert [one["outcome"] for one in found["citations"]] == ["contradicted", "source not readable"]
    assert found["citations"][0]["source"] == "notes.md" and found["counts"]["contradicted"] == 1
    assert heard[-1][:2] == (2, 2)


def test_without_documents_those_of_the_server_or_its_archive_are_read(tmp_path):
    (tmp_path / "notes.md").write_text(NOTES["text"])
    archive = tmp_path.with_suffix(".sqlite")
    Archive(archive).add(read_documents([tmp_path], Flaws()))
    for serving in (server(documents=[tmp_path]), server(partial(checker, search=str(archive)))):
        assert answer("check_claim", {"claim": CLAIM["claim"]}, serving)["label"] == "Refuted"


REFUSED = [
    ("check_claim", {}, "claim: expected a value, got none"),
    ("check_claim", {"claim": " \n"}, "claim: expected at least 1 character"),
    ("check_claim", CLAIM | {"claim": "**_**"}, "claim: expected a statement to check, got an empty text"),
    ("check_claim", CLAIM | {"day": "1"}, "day: unknown field"),
    ("check_claim", CLAIM | {"date": "May"}, "expected a date as 2020-08-25 or 25-8-2020"),
    ("check_claim", CLAIM | {"documents": [{"name": "a"}]}, "documents.0.text: expected a value, got none"),
    ("check_claim", CLAIM | {"documents": [{"text": "a"}] * 65}, "at most 64 items"),
    ("check_citations", {"text": "It cites nothing."}, "text: expected links, footnotes or numbered references"),
    ("check_text", {"text": TEXT}, "no evidence: give documents, or start this server with --documents or "),
    ("check_text", {"text": "a " * 50_001}, "at most 100000 characters"),
    ("continue_check", {"token": "another"}, "token: no check has this token any more; begin it anew"),
]


def test_errors_say_what_was_expected():
    async def ask(client):
        return [await client.call_tool(name, arguments) for name, arguments, _ in REFUSED]

    for result, (*_, message) in zip(in_session(ask), REFUSED, strict=True):
        (said,) = (one.text for one in result.content)
        assert result.is_error and message in said


def test_a_call_too_many_is_refused_while_others_wait():
    opened = threading.Event()

    def slow():
        assert opened.wait(PATIENCE)
        return checker()

    async def crowd(client):
        calls = [asyncio.create_task(client.call_tool("check_claim", CLAIM)) for _ in range(3)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        opened.set()
        return [one.result() for one in done], await asyncio.gather(*calls)

    first, everyone = in_session(crowd, server(slow, slots=1, queue=1))
    assert "1 checks are waiting and the queue is full" in first[0].content[0].text
    assert [one.is_error for one in everyone].count(True) == 1


def test_calls_are_told_that_the_engine_cannot_be_loaded():
    def broken():
        raise ModelUnavailable("weights not found; factgraph fetch downloads them")

    result = called("check_claim", CLAIM, server(broken))
    said = "the engine cannot be loaded: weights not found; factgraph fetch downloads them"
    assert result.is_error and said in result.content[0].text


def test_an_answer_that_takes_long_comes_in_parts(monkeypatch):
    opened, check_text = threading.Event(), checks.check_text

    async def halting(read, collect, checker, hear, **options):
        told = []
        checked = await check_text(read, collect, checker, told.append, **options)
        for part in told[:2]:
            hear(part)
        await asyncio.to_thread(opened.wait, PATIENCE)
        hear(told[2])
        return checked

    monkeypatch.setattr(checks, "check_text", halting)

    async def parts(client):
        some = (await client.call_tool("check_text", {"text": TEXT, "documents": [NOTES]})).structured_content
        while not some.get("statements"):
            some = (await client.call_tool("continue_check", {"token": some["token"]})).structured_content
        opened.set()
        whole = some
        while whole["token"]:
            whole = (await client.call_tool("continue_check", {"token": whole["token"]})).structured_content
        return some, whole

    some, whole = in_session(parts, server(patience=0.5))
    assert len(some["statements"]) == 1 and some["token"]
    assert [one["label"] for one in whole["statements"]] == ["Refuted", "Supported"] and whole["decided"] == 2


def test_a_cancelled_call_ends_its_work(monkeypatch):
    stopped = threading.Event()

    async def endless(claim, collect, checker, hear, **_):
        try:
            hear(SimpleNamespace(kind="question"))
            await asyncio.Event().wait()
        finally:
            stopped.set()

    monkeypatch.setattr(checks, "check_claim", endless)

    async def give_up(client):
        begun = asyncio.Event()

        async def heard(done, *_):
            if done:  # before, the engine was loading
                begun.set()

        call = asyncio.create_task(client.call_tool("check_claim", CLAIM, progress_callback=heard))
        await begun.wait()
        call.cancel()
        return await asyncio.to_thread(stopped.wait, PATIENCE)

    assert in_session(give_up)
