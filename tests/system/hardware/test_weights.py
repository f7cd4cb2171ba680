"""Weights: what a profile needs, whether it is all there, and what a fetch says."""

import re
import shutil
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from huggingface_hub import constants

from knowledge_store.dense.openvino import BUNDLED
from system.app import cli
from system.hardware import weights
from system.hardware.weights import Weights, fetch, find, needed, size
from system.models.base import ModelUnavailable
from system.settings import load


def test_a_local_model_needs_itself_and_an_encoder():
    names = [("model", "some/model"), ("adapter moderator", "m/o"), ("encoder", "all-MiniLM-L6-v2")]
    given = {"model": "some/model", "adapters": {"moderator": "m/o", "verdict_prediction": "."}}
    settings = load("a10g", given | {"encoder": "all-MiniLM-L6-v2"})
    assert needed(settings) == [Weights(*each) for each in names]


@pytest.mark.parametrize("profile", ["laptop", "server"])
def test_only_an_encoder_is_needed_elsewhere(profile):
    assert [each.purpose for each in needed(load(profile, {}))] == ["encoder"]


def test_finds_the_bundled_encoder():
    assert find("all-MiniLM-L6-v2") == BUNDLED


@pytest.mark.parametrize("name", ["no such folder", "nobody/no-such-model"])
def test_does_not_find_missing_weights(name):
    assert find(name) is None


@pytest.mark.parametrize(("files", "complete"), [((), False), (("a",), False), (("a", "b"), True)])
def test_weights_in_parts_are_complete_with_the_last_part(tmp_path, files, complete):
    parts = {"x.weight": "a.safetensors", "y.weight": "b.safetensors"}
    (tmp_path / "model.safetensors.index.json").write_bytes(orjson.dumps({"weight_map": parts}))
    for file in files:
        (tmp_path / f"{file}.safetensors").write_bytes(b"12345")
    assert find(str(tmp_path)) == (tmp_path if complete else None)
    assert size(tmp_path) == 5 * len(files)


def test_fetches_nothing_that_is_present(monkeypatch):
    monkeypatch.setattr(weights, "snapshot_download", lambda *_, **__: pytest.fail("asked the hub"))
    assert fetch("all-MiniLM-L6-v2") == find("all-MiniLM-L6-v2")


def test_without_a_connection_names_the_weights_and_the_remedy(monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        ModelUnavailable, match=r"nobody/no-such-model: cannot be fetched .* a folder that holds the weights"
    ):
        fetch("nobody/no-such-model")


class Hub:
    """A hub with one repository, in place of the real one."""

    FILES = ("model.safetensors", "pytorch_model.bin", "2_Dense/pytorch_model.bin")

    def __init__(self, cache: Path, file_size: int) -> None:
        self.folder = cache / "snapshot"
        self._size = file_size

    def __call__(self, name: str, *, dry_run=False, local_files_only=False, ignore_patterns=()):
        names = [file for file in self.FILES if not any(fnmatch(file, pattern) for pattern in ignore_patterns)]
        if local_files_only:
            if not all((self.folder / file).exists() for file in names):
                raise FileNotFoundError(name)
            return str(self.folder)
        if dry_run:
            return [SimpleNamespace(filename=file, file_size=self._size, will_download=True) for file in names]
        for file in names:
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / file).write_bytes(b"1")
        return str(self.folder)


def test_a_fetch_downloads_where_there_is_room(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(weights, "snapshot_download", Hub(tmp_path, file_size=1000))
    assert cli.main(["fetch", "--profile", "a10g", "--model", "some/model"]) == 0
    here = {file.relative_to(tmp_path / "snapshot").as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    assert here == {"model.safetensors", "2_Dense/pytorch_model.bin"}  # the same tensors are not fetched twice
    assert find("some/model") == tmp_path / "snapshot"  # nor missed
    assert re.match(rf"model some/model: {tmp_path}/snapshot\nencoder .*\n$", capsys.readouterr().out)


def test_does_not_start_a_download_that_the_disk_cannot_hold(monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    hub = Hub(tmp_path, file_size=2 * shutil.disk_usage(tmp_path).free)
    monkeypatch.setattr(weights, "snapshot_download", hub)
    with pytest.raises(ModelUnavailable, match=r"some/model: .* GiB to download, but .* set HF_HOME"):
        fetch("some/model")
    assert not hub.folder.exists()
