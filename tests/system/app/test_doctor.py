"""The doctor: its verdict and remedies on machines that lack something."""

import re
from types import SimpleNamespace

import orjson
import psutil
import pytest
import torch

from system.app import cli
from system.app.commands import doctor
from system.app.commands.doctor import Finding, State, examine_inputs
from system.settings import load

GIB = 2**30


def test_the_embedded_profile_needs_no_gpu(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "packages", lambda: Finding("packages", State.GOOD, ""))  # of whatever runs this test
    assert cli.main(["doctor", "--profile", "laptop"]) == 0
    printed = capsys.readouterr().out
    assert "this machine has what a run needs" in printed and "missing" not in printed


def test_names_what_a_run_lacks_and_the_fix(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(doctor, "requires", lambda _: ["numpy>=2", "orjson<1", "no-such-package", "gone; extra == 'x'"])
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=GIB, total=8 * GIB))
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=GIB // 2))
    lacking = ["--model", "no/model", "--claims", "none.json", "--adapters", "verdict_prediction=[red]none"]
    output = ["--output", str(tmp_path / "not" / "yet" / "there")]
    assert cli.main(["doctor", "--profile", "a10g", *lacking, *output]) == 1
    printed = "".join(capsys.readouterr().out.split())  # the terminal breaks lines anywhere
    missing = {"packages", "GPU", "memory", "disk", "model", "adapterverdict_prediction", "claims"}
    assert missing <= {*printed.partition("missingforarun:")[2].split(",")}
    assert re.search(r"packagesorjson[\d.]+,need<1;no-such-packagenotinstalled,needanyversion→", printed)
    assert f"0.5GiBfreeat{tmp_path}→" in printed and "1.0of8.0GiBfree" in printed
    assert "factgraphfetch" in printed and "none.json" in printed and "[red]none" in printed


@pytest.mark.parametrize(
    ("driver", "available", "needed", "state", "words"),
    [
        (True, True, True, State.GOOD, "NVIDIA A10G, 22.5 GiB, CUDA 13.0"),
        (True, False, True, State.BAD, "too old for CUDA 13.0"),
        (True, False, False, State.GOOD, "driver 580.65.06"),
        (False, False, True, State.BAD, "with an NVIDIA GPU"),
        (False, False, False, State.GOOD, "driver none"),
    ],
)
def test_distinguishes_gpu_and_driver(monkeypatch, tmp_path, driver, available, needed, state, words):
    monkeypatch.setattr(doctor, "DRIVER", tmp_path / "version")
    if driver:
        (tmp_path / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sat Sep 13")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    properties = SimpleNamespace(name="NVIDIA A10G", total_memory=int(22.5 * GIB))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: properties)
    finding = doctor.gpu(needed)
    assert finding.state is state and words in f"{finding.found}; {finding.remedy}"


def test_a_server_that_does_not_answer_is_missing():
    settings = load("server", {"address": "http://127.0.0.1:9/v1"})
    server = next(f for f in doctor.examine_models(settings) if f.subject == "server")
    assert server.state is State.BAD and "127.0.0.1:9" in server.found


@pytest.mark.parametrize(
    ("stores", "state", "words"),
    [
        ((0, 1), State.GOOD, "one for every claim"),
        ((0,), State.NOTE, "1 of 2 claims"),
        ((), State.BAD, "2 of 2 claims"),
    ],
)
def test_counts_claims_without_a_store(tmp_path, stores, state, words):
    claims = tmp_path / "claims.json"
    claims.write_bytes(orjson.dumps([{"claim": "One."}, {"claim": "Two."}]))
    (tmp_path / "stores").mkdir()
    for number in stores:
        (tmp_path / "stores" / f"{number}.json").write_text("{}")
    found = {finding.subject: finding for finding in examine_inputs(claims, tmp_path / "stores")}
    assert found["stores"].state is state and words in found["stores"].found
