"""The same claim gets the same verdict and the same JSON at every door: terminal, library, service and MCP."""

import orjson

from factgraph import FactChecker
from system.app import cli
from system.check import Engine
from system.models.extractive import ExtractiveModel
from system.settings import load
from tests.helpers.bridge import BagOfWords
from tests.helpers.by_words import ByWords
from tests.helpers.serving import ended, serve
from tests.system.app.test_mcp_tools import answer

CLAIM = "The Aster bridge opened in 1931."
NOTES = {"notes.md": "The Aster bridge opened in 1932. It carries two lanes."}
DOCUMENTS = [{"name": name, "text": text} for name, text in NOTES.items()]


def engine():
    settings = load("laptop", {"budget": 3600.0})
    return Engine(ExtractiveModel(BagOfWords()), BagOfWords(), settings, reader=ByWords())


def by_library():
    with FactChecker(engine=engine()) as checker:
        return checker.check(CLAIM, NOTES).to_dict()


def by_service():
    async def scenario(client):
        job = (await client.post("/claims", json={"claim": CLAIM, "documents": DOCUMENTS})).json()
        return (await ended(client, job["id"]))["result"]

    return serve(scenario, engine())


def by_mcp():
    found = answer("check_claim", {"claim": CLAIM, "documents": DOCUMENTS})
    assert found.pop("token") == ""  # the answer is whole
    return found


def test_every_door_gives_the_same_json(monkeypatch, tmp_path, capsys):
    (tmp_path / "notes.md").write_text(NOTES["notes.md"])
    monkeypatch.setattr("system.check.load_engine", lambda settings: engine())
    verify = ["verify", CLAIM, "--documents", str(tmp_path / "notes.md"), "--profile", "laptop", "--json"]
    assert cli.main(verify) == 0
    found = [orjson.loads(capsys.readouterr().out), by_library(), by_service(), by_mcp()]
    for one in found:
        assert one.pop("seconds") >= 0
    assert found[0]["label"] == "Refuted" and found[0]["correction"]
    assert found[1:] == found[:1] * 3
