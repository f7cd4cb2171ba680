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
    heard = []
    found = answer("check_claim", {"claim": CLAIM, "documents": DOCUMENTS}, heard=heard)
    assert found.pop("token") == ""  # the answer is whole
    done = [done for done, _, _ in heard]
    assert done == sorted(set(done)) and heard[-1][2] == "verdict"
    return found


def test_every_door_gives_the_same_json(monkeypatch, tmp_path, capsys):
    (tmp_path / "notes.md").write_text(NOTES["notes.md"])
    monkeypatch.setattr("system.check.load_engine", lambda settings: checker().engine)
    verify = ["verify", CLAIM, "--documents", str(tmp_path / "notes.md"), "--profile", "laptop", "--json"]
    assert cli.main([*verify, "--output", str(tmp_path / "answer")]) == 0
    written = orjson.loads((tmp_path / "answer" / "result.json").read_bytes())
    assert written["graph"]["thoughts"][0]["id"] == "claim"
    assert CLAIM in (tmp_path / "answer" / "report.html").read_text()
    found = [orjson.loads(capsys.readouterr().out), by_library(), by_service(), by_mcp()]
    for one in found:
        assert one.pop("seconds") >= 0
    assert found[0]["label"] == "Refuted" and found[0]["correction"] and "graph" not in found[0]
    assert found[0]["evidence"][0]["passages"] == [{"address": "notes.md", "text": NOTES["notes.md"]}]
    assert found[1:] == found[:1] * 3
