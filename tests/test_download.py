"""scripts/download.py brings a split from a local double of the hub: complete, resumable, within the disk."""

import hashlib
import io
import json
import re
import shutil
import zipfile
from types import SimpleNamespace

import pytest
from huggingface_hub import constants

from scripts import download as script
from tests.helpers.local_site import Site

SHA = "a" * 40
CLAIMS = b'[{"claim": "One."}, {"claim": "Two."}]'
STORES = {"0.json": '{"url": "a"}\n' * 2000, "1.json": '{"url": "b"}\n'}
ZIP = "data_store/knowledge_store/dev_knowledge_store.zip"


def archive(stores, folder="output_dev/"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(f"{folder}readme.txt", "not a store")
        for name, text in stores.items():
            file.writestr(f"{folder}{name}", text)
    return buffer.getvalue()


class Hub(Site):
    """A hub with one repository, someone/data."""

    def __init__(self):
        super().__init__()
        self.files = {"data/dev.json": CLAIMS, "data/train.json": b"[]", ZIP: archive(STORES)}

    def answer(self, handler):
        path = handler.path.partition("?")[0]
        self.asked.append(path)
        content = self.files.get(re.sub(rf"^/someone/data/resolve/(main|{SHA})/", "", path))
        if path.startswith("/api/models/someone/data/tree"):
            content = [{"type": "file", "path": n, "size": len(c), "oid": SHA} for n, c in self.files.items()]
        elif path.startswith("/api/models/someone/data"):
            content = {"id": "someone/data", "sha": SHA, "siblings": [{"rfilename": name} for name in self.files]}
        if content is None:
            handler.send_error(404)
            return
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(200)
        etag = hashlib.sha256(content).hexdigest()
        for key, value in {"Content-Length": len(content), "ETag": f'"{etag}"', "X-Repo-Commit": SHA}.items():
            handler.send_header(key, str(value))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(content)


@pytest.fixture
def hub(monkeypatch):
    made = Hub()
    monkeypatch.setattr(constants, "ENDPOINT", made.address)
    template = made.address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    yield made
    made.close()


def download(folder, split="dev", source="someone/data"):
    """Download a split into a folder; return the error, or nothing."""
    try:
        script.download(source, split, folder)
    except script.DownloadError as error:
        return str(error)
    return ""


def assert_complete(folder):
    assert (folder / "data_store" / "averitec" / "dev.json").read_bytes() == CLAIMS
    stores = folder / "knowledge_store" / "dev"
    assert {file.name: file.read_text() for file in stores.iterdir()} == STORES
    assert {path.name for path in folder.iterdir()} == {"data_store", "knowledge_store"}


def test_downloads_claims_and_stores_once(hub, tmp_path):
    assert not download(tmp_path)
    assert_complete(tmp_path)
    asked = len(hub.asked)
    assert not download(tmp_path) and len(hub.asked) == asked


def test_a_damaged_archive_is_downloaded_again(hub, tmp_path):
    sound = hub.files[ZIP]
    hub.files[ZIP] = sound[:-30]
    assert "removed, the same command downloads it again" in download(tmp_path)
    assert not (tmp_path / "knowledge_store").exists()
    hub.files[ZIP] = sound
    assert not download(tmp_path)
    assert_complete(tmp_path)


def test_a_full_disk_is_named_before_unpacking(hub, tmp_path, monkeypatch):
    huge = [SimpleNamespace(filename="0.json", file_size=10**9)]
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100_000, total=1, used=1))
        patch.setattr(zipfile.ZipFile, "infolist", lambda _: huge)
        assert "make room" in download(tmp_path)
    assert not download(tmp_path)
    assert_complete(tmp_path)


@pytest.mark.parametrize(
    ("split", "source", "message"),
    [
        ("test_2030", "someone/data", "no claims and stores of a split 'test_2030'"),
        ("train", "someone/data", "no claims and stores of a split 'train'"),
        ("dev", "someone/other", "correct the source or the connection"),
        ("dev", "no name", "correct the source or the connection"),
    ],
)
def test_names_what_is_missing(hub, tmp_path, split, source, message):
    assert message in download(tmp_path, split, source)


def test_writes_nothing_outside_the_store_folder(hub, tmp_path):
    hub.files[ZIP] = archive({"../../0.json": "escaped", "1.json": STORES["1.json"]}, folder="")
    assert not download(tmp_path)
    assert {file.name for file in (tmp_path / "knowledge_store" / "dev").iterdir()} == {"0.json", "1.json"}
    assert [path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("0.json")] == ["knowledge_store"]
