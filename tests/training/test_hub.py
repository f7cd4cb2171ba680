"""Adapters by way of the model hub: pushed to a local double of it, and loaded from there by name."""

import base64
import hashlib
import json
import logging
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from huggingface_hub import constants

from system.hardware.weights import needed
from system.models.base import ModelUnavailable
from system.models.loading import located
from system.settings import Settings
from tests.helpers.local_site import Site
from training.__main__ import main

TOKEN = "hf_write"
SHA = "a" * 40


class Hub(Site):
    """A hub with one version of each repository: what its API needs for one commit and for a snapshot."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, dict[str, bytes]] = {}
        self.large: dict[str, bytes] = {}  # by SHA-256, until a commit names them

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        while request.headers.get("Transfer-Encoding") == "chunked" and (size := int(request.rfile.readline(), 16)):
            body += request.rfile.read(size)
            request.rfile.readline()
        status, reply, headers = self._reply(request.command, request.path.partition("?")[0], body, request.headers)
        request.send_response(status)
        for name, value in {"Content-Length": str(len(reply)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(reply)

    def _reply(self, method: str, path: str, body: bytes, headers: object) -> tuple[int, bytes, dict[str, str]]:
        if method in ("POST", "PUT") and "/upload/" not in path and headers["Authorization"] != f"Bearer {TOKEN}":
            return 401, b'{"error": "Invalid username or password."}', {}
        if method == "PUT":
            self.large[path.rpartition("/")[2]] = body
            return 200, b"", {}
        if "/resolve/" in path:
            repository, _, name = path[1:].replace(f"/resolve/{SHA}/", "\0").partition("\0")
            content = self.files[repository][name]
            return 200, content, {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": SHA}
        reply = self._api(path, body)
        return (
            (404, b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"})
            if reply is None
            else (200, json.dumps(reply).encode(), {"Content-Type": "application/json"})
        )

    def _api(self, path: str, body: bytes) -> object:
        repository = "/".join(
            path.removesuffix(".git/info/lfs/objects/batch").removeprefix("/api/models").split("/")[1:3]
        )
        match path.rpartition("/")[0].rpartition("/")[2], path.rpartition("/")[2]:
            case "repos", "create":
                asked = json.loads(body)
                name = f"{asked['organization']}/{asked['name']}"
                self.files.setdefault(name, {})
                return {"url": f"{self.address}/{name}", "name": name}
            case _, "validate-yaml":
                return {"errors": [], "warnings": []}
            case "preupload", _:
                modes = {True: "lfs", False: "regular"}
                names = [file["path"] for file in json.loads(body)["files"]]
                large = {name: modes[name.endswith("safetensors")] for name in names}
                return {"files": [{"path": n, "uploadMode": large[n], "shouldIgnore": False} for n in names]}
            case "objects", "batch":
                asked = json.loads(body)["objects"]
                upload = f"{self.address}/upload"
                return {
                    "transfer": "basic",
                    "objects": [{**one, "actions": {"upload": {"href": f"{upload}/{one['oid']}"}}} for one in asked],
                }
            case "commit", _:
                for line in map(json.loads, body.splitlines()):
                    value = line["value"]
                    if line["key"] == "file":
                        self.files[repository][value["path"]] = base64.b64decode(value["content"])
                    if line["key"] == "lfsFile":
                        self.files[repository][value["path"]] = self.large[value["oid"]]
                return {"commitUrl": f"{self.address}/{repository}/commit/{SHA}", "commitOid": SHA}
        if repository not in self.files:
            return None
        if "/tree/" in path:
            return [{"type": "file", "path": n, "size": len(c), "oid": SHA} for n, c in self.files[repository].items()]
        return {"id": repository, "sha": SHA, "siblings": [{"rfilename": name} for name in self.files[repository]]}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub()
    monkeypatch.setattr(constants, "ENDPOINT", made.address)
    monkeypatch.setattr(
        constants, "HUGGINGFACE_CO_URL_TEMPLATE", made.address + "/{repo_id}/resolve/{revision}/{filename}"
    )
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    yield made
    made.close()


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    folder = tmp_path / "moderator"
    (folder / "checkpoints").mkdir(parents=True)
    card = "---\nbase_model: someone/base\nlibrary_name: peft\n---\n# An adapter\n"
    files = {"adapter_config.json": '{"r": 32}', "adapter_model.safetensors": "weights" * 99, "README.md": card}
    for name, text in {**files, "training.json": "{}", "checkpoints/state.json": "{}"}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # huggingface_hub's own call of httpx
def test_a_pushed_adapter_is_found_by_its_name(hub: Hub, adapter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # the second time into the repository that is there
        assert main(["push", str(adapter), "someone/moderator"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{hub.address}/someone/moderator"
    names = {"adapter_config.json", "adapter_model.safetensors", "README.md"}
    assert set(hub.files["someone/moderator"]) == names
    folder = Path(located("someone/moderator"))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == hub.files["someone/moderator"]
    hub.files.clear()  # once it is here, the hub is asked no more
    assert located("someone/moderator") == str(folder) and located(str(adapter)) == str(adapter)
    with pytest.raises(ModelUnavailable, match=r"someone/other: cannot be fetched .* or give a folder"):
        located("someone/other")


def test_fetch_brings_adapters_that_are_named(adapter: Path) -> None:
    model = {"backend": "vllm", "model": "someone/base"}
    named = {"moderator": "someone/moderator", "verdict_prediction": str(adapter)}
    wanted = needed(Settings.model_validate({"model": {**model, "adapters": named}}))
    assert [one.name for one in wanted if one.purpose.startswith("adapter")] == ["someone/moderator"]


def test_says_why_it_cannot_push(
    hub: Hub, adapter: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    monkeypatch.setenv("HF_TOKEN", "hf_read")
    assert main(["push", str(adapter), "someone/moderator"]) == 2
    assert "hf auth login" in capsys.readouterr().err and not hub.files
    (adapter / "README.md").unlink()
    assert main(["push", str(adapter), "someone/moderator"]) == 2
    assert "got none of README.md" in capsys.readouterr().err
