"""The download of claims and stores: resumed, checked, bounded by the disk, from the hub and from other addresses."""

import hashlib
import importlib.util
import io
import json
import shutil
import sys
import zipfile
from collections import Counter
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.helpers.local_site import Site

ROOT = Path(__file__).resolve().parent.parent
_spec = importlib.util.spec_from_file_location("download_script", ROOT / "scripts" / "download.py")
script = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = script  # where dataclasses look for it
_spec.loader.exec_module(script)


def archive(stores: dict[str, str], folder: str = "output_dev/") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(f"{folder}readme.txt", "not a store")
        for name, text in stores.items():
            file.writestr(f"{folder}{name}", text)
    return buffer.getvalue()


class Source(Site):
    """A web server with the data of one split; it can cut connections and spoil files."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__()
        self.files = files
        self.requests: Counter[str] = Counter()
        self.ranges: list[str] = []
        self.cut: set[str] = set()  # files whose first transfer ends in the middle

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path.partition("?")[0].removeprefix("/")
        if path not in self.files:
            handler.send_error(404)
            return
        self.requests[path] += 1
        body, asked = self.files[path], handler.headers.get("Range")
        if asked:
            self.ranges.append(asked)
            body = body[int(asked.removeprefix("bytes=").removesuffix("-")) :]
        handler.send_response(206 if asked else 200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if path in self.cut:
            self.cut.remove(path)
            body = body[: len(body) // 2]
        handler.wfile.write(body)


CLAIMS = b'[{"claim": "One."}, {"claim": "Two."}]'
STORES = {"0.json": '{"url": "a"}\n' * 2000, "1.json": '{"url": "b"}\n'}
ZIP = "data_store/knowledge_store/dev_knowledge_store.zip"


def with_sums(files: dict[str, bytes]) -> dict[str, bytes]:
    lines = [f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in files.items()]
    return {**files, "SHA256SUMS": "".join(lines).encode()}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(script, "PAUSE", 0.01)


@pytest.fixture
def source():
    made = Source(with_sums({"data/dev.json": CLAIMS, ZIP: archive(STORES)}))
    yield made
    made.close()


def download(folder: Path, address: str, split: str = "dev") -> str:
    """Download a split into a folder; returns the error, or nothing."""
    try:
        script.download(address, split, folder)
    except script.DownloadError as error:
        return str(error)
    return ""


def assert_all_here(folder: Path) -> None:
    assert (folder / "data_store" / "averitec" / "dev.json").read_bytes() == CLAIMS
    stores = folder / "knowledge_store" / "dev"
    assert {file.name: file.read_text() for file in stores.iterdir()} == STORES
    assert list(folder.rglob("*.part*")) == []


def test_downloads_claims_and_stores_under_the_organizers_names(source, tmp_path):
    assert not download(tmp_path, source.address)
    assert_all_here(tmp_path)


def test_existing_files_are_not_downloaded_again(source, tmp_path):
    download(tmp_path, source.address)
    before = source.requests.total()
    assert not download(tmp_path, source.address)
    assert source.requests.total() == before


def test_resumes_after_a_cut_connection(source, tmp_path):
    source.cut = {ZIP}
    assert not download(tmp_path, source.address)
    assert source.ranges == [f"bytes={len(source.files[ZIP]) // 2}-"]
    assert_all_here(tmp_path)


def test_resumes_a_killed_download(source, tmp_path):
    half = len(source.files[ZIP]) // 3
    folder = tmp_path / "knowledge_store" / "dev.part"
    folder.mkdir(parents=True)
    (folder / "dev_knowledge_store.zip.part").write_bytes(source.files[ZIP][:half])
    assert not download(tmp_path, source.address)
    assert source.ranges == [f"bytes={half}-"]
    assert_all_here(tmp_path)


def test_files_with_a_wrong_checksum_are_downloaded_again(source, tmp_path):
    sound = source.files[ZIP]
    source.files[ZIP] = sound[:-1] + b"?"
    assert "SHA-256" in download(tmp_path, source.address)
    assert not (tmp_path / "knowledge_store" / "dev").exists()
    source.files[ZIP] = sound
    assert not download(tmp_path, source.address)
    assert_all_here(tmp_path)


def test_a_full_disk_is_detected_before_anything_is_written(source, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
        assert "make room" in download(tmp_path, source.address)
    assert [file for file in tmp_path.rglob("*") if file.is_file() and file.stat().st_size > 100] == []
    assert not download(tmp_path, source.address)


def test_stores_in_several_archives_are_put_together(tmp_path):
    parts = {
        f"data_store/knowledge_store/dev/part_{i}.zip": archive({f"{i}.json": STORES[f"{i}.json"]}) for i in (0, 1)
    }
    source = Source(with_sums({"data/dev.json": CLAIMS, **parts}))
    assert not download(tmp_path, source.address)
    assert_all_here(tmp_path)
    source.close()


def test_gets_files_and_checksums_from_the_hub(tmp_path, monkeypatch):
    content = archive(STORES)
    digest = hashlib.sha256(content).hexdigest()
    tree = "api/models/someone/data/tree/main"
    large = {"type": "file", "path": ZIP, "lfs": {"oid": digest}}
    files = {
        f"{tree}/data": json.dumps([{"type": "file", "path": "data/dev.json"}]).encode(),
        f"{tree}/data_store/knowledge_store": json.dumps([large, {"type": "directory", "path": "x"}]).encode(),
        "someone/data/resolve/main/data/dev.json": CLAIMS,
        f"someone/data/resolve/main/{ZIP}": content[:-1] + b"?",
    }
    source = Source(files)
    assert digest in download(tmp_path, f"{source.address}/someone/data/resolve/main")
    source.files[f"someone/data/resolve/main/{ZIP}"] = content
    assert not download(tmp_path, f"{source.address}/someone/data/resolve/main")
    assert_all_here(tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", source.address)
    assert not download(tmp_path / "by_name", "someone/data")
    assert_all_here(tmp_path / "by_name")
    source.close()


@pytest.fixture
def folder(tmp_path):
    """The files of the source, in a folder."""
    made = tmp_path / "there"
    for path, content in {"data/dev.json": CLAIMS, ZIP: archive(STORES)}.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes(content)
    return made


def test_a_folder_is_a_source_too(folder, tmp_path):
    assert not download(tmp_path / "here", str(folder))
    assert_all_here(tmp_path / "here")
    assert (folder / ZIP).exists()


def test_unpacked_stores_of_a_folder_are_linked_to(folder, tmp_path):
    (folder / ZIP).unlink()
    unpacked = folder / "knowledge_store" / "dev"
    unpacked.mkdir(parents=True)
    for name, text in STORES.items():
        (unpacked / name).write_text(text)
    (tmp_path / "here" / "knowledge_store" / "dev").mkdir(parents=True)  # empty, as an interrupted hand left it
    assert not download(tmp_path / "here", str(folder))
    assert_all_here(tmp_path / "here")
    assert (tmp_path / "here" / "knowledge_store" / "dev").resolve() == unpacked


def test_a_broken_archive_of_a_folder_is_named_and_stays(folder, tmp_path):
    (folder / ZIP).write_bytes(archive(STORES)[:-30])
    assert "put a sound copy there" in download(tmp_path / "here", str(folder))
    assert (folder / ZIP).exists() and not (tmp_path / "here" / "knowledge_store" / "dev").exists()
    assert "expected claims in one of data/other.json" in download(tmp_path / "here", str(folder), "other")


def test_names_a_missing_split(source, tmp_path):
    assert "no claims and stores of a split 'test_2030'" in download(tmp_path, source.address, "test_2030")


def test_names_an_address_that_does_not_answer(tmp_path):
    assert "http://127.0.0.1:9/SHA256SUMS" in download(tmp_path, "http://127.0.0.1:9")


def test_writes_nothing_of_an_archive_outside_the_store_folder(tmp_path):
    hostile = archive({"../../0.json": "escaped", "1.json": STORES["1.json"]}, folder="")
    source = Source(with_sums({"data/dev.json": CLAIMS, ZIP: hostile}))
    download(tmp_path, source.address)
    assert sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.json")) == [
        "data_store/averitec/dev.json",
        "knowledge_store/dev/0.json",
        "knowledge_store/dev/1.json",
    ]
    source.close()


def test_a_source_that_is_none_is_named(tmp_path):
    with pytest.raises(script.DownloadError, match="/nope: expected a folder, OWNER/NAME of the hub, or an address"):
        script.download("/nope", "dev", tmp_path)
