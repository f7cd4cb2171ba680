import subprocess

import pytest
import torch

from system.hardware import machine


@pytest.mark.parametrize(
    ("free", "total", "vllm", "given", "profile", "reason"),
    [
        (None, None, True, (), "laptop", "no GPU was found"),
        (None, None, True, ("backend", "depth"), "server", "no GPU was found, and --backend was given"),
        (None, None, True, ("model",), "server", "no GPU was found, and --model was given"),
        (7.5, 8, True, (), "laptop", "has 7.5 of 8.0 GiB free, the production model needs 20"),
        (21.7, 21.98, False, (), "laptop", "vllm is missing"),
        (21.7, 21.98, True, (), "a10g", "A10G has 21.7 of 22.0 GiB free"),  # as torch reports it with some drivers
    ],
)
def test_the_profile_fits_the_machine(monkeypatch, free, total, vllm, given, profile, reason):
    monkeypatch.setattr(machine, "version_of", lambda _: "2.9.0+cu129")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: free is not None)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "NVIDIA A10G")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (free * 2**30, total * 2**30))
    monkeypatch.setattr(machine, "find_spec", lambda _: object() if vllm else None)
    chosen, why = machine.choose_profile(given)
    assert chosen == profile
    assert reason in why


def test_the_description_names_what_results_depend_on():
    described = machine.describe_machine()
    assert {"torch", "sentence-transformers"} <= described["packages"].keys()
    assert described["cpus"] >= 1 and described["memory_gib"] > 0
    assert 0.01 < machine.peak_memory() < 1000  # GiB


def test_a_git_that_hangs_leaves_the_revision_unknown(monkeypatch):
    called = subprocess.check_output

    def hang(command, **options):
        if command[0] == "git":
            raise subprocess.TimeoutExpired(command, options["timeout"])
        return called(command, **options)

    monkeypatch.setattr(subprocess, "check_output", hang)
    assert machine.describe_machine()["revision"] == "unknown"
