"""Weights: what a profile needs, whether it is all there, and what a fetch says."""

import re
from fnmatch import fnmatch

import pytest
from huggingface_hub import constants

from knowledge_store.dense.openvino import BUNDLED
from system.app import cli
from system.hardware.weights import fetch, find, needed, size
from system.models.base import ModelUnavailable
from system.settings import load


def test_a_run_needs_an_encoder_and_with_vllm_a_model_and_adapters_of_the_hub():
    given = {"model": "some/model", "adapters": {"moderator": "m/o", "verdict_prediction": "."}}
    settings = load("a10g", given | {"encoder": "all-MiniLM-L6-v2"})
    assert needed(settings) == {"model": "some/model", "adapter moderator": "m/o", "encoder": "all-MiniLM-L6-v2"}
    assert all([*needed(load(profile, {}))] == ["encoder"] for profile in ("laptop", "server"))


@pytest.mark.parametrize(
    ("name", "folder"), [("all-MiniLM-L6-v2", BUNDLED), ("no such folder", None), ("nobody/no-such-model", None)]
)
def test_finds_weights_that_are_here(name, folder):
    assert find(name) == folder


def test_a_folder_has_weights_if_it_has_tensors(tmp_path):
    assert find(str(tmp_path)) is None and fetch(str(tmp_path)) == str(tmp_path)
    (tmp_path / "model-00001-of-00002.safetensors").write_bytes(b"12345")
    (tmp_path / "consolidated.safetensors").write_bytes(b"123456789")  # the same tensors, as Mistral publishes them
    assert find(str(tmp_path)) == tmp_path and size(tmp_path) == 5


def test_without_a_connection_names_the_weights_and_the_remedy(monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelUnavailable, match=r"nobody/no-such-model: cannot be fetched .* or give a folder"):
        fetch("nobody/no-such-model")


def test_a_fetch_brings_no_pickle_of_tensors(monkeypatch, tmp_path, capsys):
    files = ("model.safetensors", "pytorch_model.bin", "2_Dense/pytorch_model.bin")
    folder = tmp_path / "snapshot"

    def download(name, *, local_files_only=False, ignore_patterns=()):
        """A hub with one repository, in place of the real one."""
        for file in (file for file in files if not any(fnmatch(file, pattern) for pattern in ignore_patterns)):
            if local_files_only and not (folder / file).exists():
                raise FileNotFoundError(name)
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(b"1")
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert cli.main(["fetch", "--profile", "a10g", "--model", "some/model"]) == 0
    here = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert here == {"model.safetensors", "2_Dense/pytorch_model.bin"}  # the same tensors are not fetched twice
    assert find("some/model") == folder  # nor missed
    assert re.match(rf"model some/model: {folder}\nencoder .*\n$", capsys.readouterr().out)
