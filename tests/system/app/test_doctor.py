"""The doctor: its verdict and remedies on machines that lack something."""

import shutil
from types import SimpleNamespace

import orjson
import psutil
import pytest
import torch
from rich.console import Console

from submission.legacy import resources
from system.app import cli
from system.app.commands import doctor
from system.app.commands.doctor import Finding, State, examine_inputs, print_findings
from system.settings import load

GIB = 2**30


def states(findings) -> dict[str, State]:
    return {finding.subject: finding.state for finding in findings}


def test_the_embedded_profile_needs_no_gpu(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "packages", lambda: iter(()))  # of the environment that runs this test
    assert cli.main(["doctor", "--profile", "laptop"]) == 0
    printed = capsys.readouterr().out
    assert "this machine has what a run needs" in printed and "missing" not in printed


def test_names_what_a_run_lacks_and_the_fix(capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(doctor, "_driver", lambda: "")
    assert cli.main(["doctor", "--profile", "a10g", "--model", "no/model", "--claims", "none.json"]) == 1
    printed = capsys.readouterr().out
    assert "missing for a run: " in printed and "model" in printed.splitlines()[-1]
    assert "factgraph fetch" in printed and "none.json" in printed


@pytest.mark.parametrize(
    ("driver", "cuda", "available", "needed", "state", "words"),
    [
        ("580.65.06", "13.0", True, True, State.GOOD, "NVIDIA A10G, 22.5 GiB, driver 580.65.06, CUDA 13.0"),
        ("550.127.05", "13.0", False, True, State.BAD, "550.127.05 is too old for CUDA 13.0"),
        ("580.65.06", "13.0", False, True, State.BAD, "finds no device"),
        ("580.65.06", "13.0", False, False, State.NOTE, "finds no device"),
        ("580.65.06", None, False, True, State.BAD, "cannot use it"),
        ("580.65.06", None, False, False, State.NOTE, "cannot use it"),
        ("", None, False, True, State.BAD, "none"),
        ("", None, False, False, State.GOOD, "needs none"),
    ],
)
def test_distinguishes_gpu_and_driver(monkeypatch, driver, cuda, available, needed, state, words):
    monkeypatch.setattr(doctor, "_driver", lambda: driver)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    properties = SimpleNamespace(name="NVIDIA A10G", total_memory=int(22.5 * GIB))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: properties)
    finding = doctor.gpu(needed)
    assert finding.state is state and words in finding.found
    assert bool(finding.remedy) is (state is not State.GOOD)


def test_a_required_package_of_the_wrong_version_is_missing(monkeypatch):
    lines = ["numpy>=2", "orjson<1", "no-such-package", "pytest>=8; extra == 'test'", "gone; extra == 'serve'"]
    monkeypatch.setattr(doctor, "requires", lambda _: lines)
    monkeypatch.setattr(doctor, "metadata", lambda _: SimpleNamespace(get_all=lambda _: ["test", "serve"]))
    packages, extras, others = doctor.packages()
    assert packages.state is State.BAD
    assert (
        "orjson" in packages.found
        and "no-such-package not installed" in packages.found
        and "numpy" not in packages.found
    )
    assert (extras.found, others.found) == ("test", "serve")


def test_detects_low_memory_and_disk_space(monkeypatch, tmp_path):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=GIB, total=8 * GIB))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=GIB // 2))
    assert doctor.memory().state is State.BAD
    finding = doctor.disk(tmp_path / "not" / "yet" / "there")
    assert finding.state is State.BAD and f"at {tmp_path}" in finding.found


def test_reports_a_missing_adapter_folder(tmp_path):
    settings = load("a10g", {"model": str(tmp_path), "adapters": {"verdict_prediction": "no/such/folder"}})
    found = states(doctor.examine_models(settings))
    assert found["adapters"] is State.BAD and found["model"] is State.BAD


@pytest.mark.parametrize(("context", "state"), [(1024, State.GOOD), (100_000_000, State.BAD)])
def test_the_memory_plan_is_computed_without_loading_anything(tmp_path, context, state):
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 100}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    (tmp_path / "config.json").write_bytes(orjson.dumps({"model_type": "qwen2", **sizes, **heads}))
    (tmp_path / "model.safetensors").write_bytes(b"never read")
    changes = {"model": str(tmp_path), "context": context, "encoder_memory": 0.0, "batched_tokens": 1024}
    plan = next(f for f in doctor.examine_models(load("a10g", changes)) if f.subject == "memory plan")
    assert plan.state is state and "KV cache" in plan.found


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
def test_counts_claims_without_a_store(tmp_path, monkeypatch, stores, state, words):
    claims = tmp_path / "claims.json"
    claims.write_bytes(orjson.dumps([{"claim": "One."}, {"claim": "Two."}]))
    (tmp_path / "stores").mkdir()
    for number in stores:
        (tmp_path / "stores" / f"{number}.json").write_text("{}")
    monkeypatch.setattr(resources, "local_wordnet", lambda: None)
    found = {finding.subject: finding for finding in examine_inputs(claims, tmp_path / "stores")}
    assert found["stores"].state is state and words in found["stores"].found
    assert found["WordNet"].state is State.NOTE


def test_findings_are_printed_verbatim():
    findings = [
        Finding("a", State.GOOD, "[red]x[/red]"),
        Finding("b", State.NOTE, "y", "do this"),
        Finding("c", State.BAD, "z", "do that"),
    ]
    console = Console(width=80)
    with console.capture() as captured:
        print_findings(findings, console)
    words = " ".join(captured.get().split())
    assert words == "ok a [red]x[/red] note b y → do this missing c z → do that missing for a run: c"
