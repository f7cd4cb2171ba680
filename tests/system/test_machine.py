from types import SimpleNamespace

import pytest
import torch

from system import machine


@pytest.mark.parametrize(
    ("gib", "vllm", "profile", "reason"),
    [
        (None, True, "embedded", "no GPU"),
        (8, True, "embedded", "has 8 GiB"),
        (22.5, False, "embedded", "vllm is missing"),
        (22.5, True, "a10g", "A10G with 22 GiB"),
    ],
)
def test_the_profile_fits_the_machine(monkeypatch, gib, vllm, profile, reason):
    memory = SimpleNamespace(total_memory=(gib or 0) * 2**30)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gib is not None)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "NVIDIA A10G")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: memory)
    monkeypatch.setattr(machine, "find_spec", lambda _: object() if vllm else None)
    chosen, why = machine.choose_profile()
    assert chosen == profile
    assert reason in why


def test_the_description_names_what_results_hang_on():
    described = machine.describe()
    assert {"torch", "sentence-transformers", "faiss-cpu"} <= described["packages"].keys()
    assert described["cpus"] >= 1 and described["memory_gib"] > 0


def test_memory_is_counted_in_gib():
    assert 0.01 < machine.peak_memory() < 1000
