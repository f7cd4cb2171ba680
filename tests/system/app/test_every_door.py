"""The same claim gets the same verdict and the same JSON at every door: terminal, library, service and MCP."""

import orjson

from system.app import cli
from tests.helpers.serving import ended, serve
from tests.system.app.test_mcp_tools import answer, checker

CLAIM = "The Aster bridge opened in 1931."
NOTES = {"notes.md": "The Aster bridge opened in 1932. It carries two lanes."}
DOCUMENTS = [{"name": name, "text": text} for name, text in NOTES.items()]


def by_library():
    with checker() as one:
        return one.check(CLAIM, NOTES).to_dict()


def by_service():
    async def scenario(client):
        job = (await client.post("/claims", json={"claim": CLAIM, "documents": DOCUMENTS})).json()
        return (await ended(client, job["id"]))["result"]

    return serve(scenario, checker().engine)


def by_mcp():
    found = answer("check_claim", {"claim": CLAIM, "documents": DOCUMENTS})
    assert found.pop("token") == ""  # the answer is whole
    return found


def test_every_door_gives_the_same_json(monkeypatch, tmp_path, capsys):
    (tmp_path / "notes.md").write_text(NOTES["notes.md"])
    monkeypatch.setattr("system.check.load_engine", lambda settings: checker().engine)
    verify = ["verify", CLAIM, "--documents", str(tmp_path / "notes.md"), "--profile", "laptop", "--json"]
    assert cli.main(verify) == 0
    found = [orjson.loads(capsys.readouterr().out), by_library(), by_service(), by_mcp()]
    for one in found:
        assert one.pop("seconds") >= 0
    assert found[0]["label"] == "Refuted" and found[0]["correction"]
    assert found[1:] == found[:1] * 3
