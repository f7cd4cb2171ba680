"""The arguments of vLLM, by names in its place: that takes neither vLLM nor a GPU."""

import sys
from importlib import import_module
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
import torch
from transformers import AutoModelForCausalLM, Qwen2Config

from system.hardware.memory import GIB
from system.settings import EngineSettings

IMPORTED = (
    *("vllm", "vllm.config.structured_outputs", "vllm.engine.arg_utils", "vllm.exceptions", "vllm.lora.request"),
    *("vllm.platforms", "vllm.sampling_params", "vllm.v1.engine.async_llm", "vllm.v1.engine.exceptions"),
)
CONFIG = Qwen2Config(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=4)


@pytest.fixture
def backend(monkeypatch):
    for name in IMPORTED:
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.delitem(sys.modules, "system.models.vllm", raising=False)
    module = import_module("system.models.vllm")
    gpu = SimpleNamespace(is_cpu=lambda: False, get_device_total_memory=lambda: 24 * GIB)
    monkeypatch.setattr(module, "current_platform", gpu)
    monkeypatch.setattr(module, "usable_memory", lambda: 24 * GIB)
    monkeypatch.setattr(module, "AsyncEngineArgs", SimpleNamespace)
    yield module
    sys.modules.pop("system.models.vllm")


def test_a_setting_reaches_the_engine(backend):
    with torch.device("meta"):
        bare = AutoModelForCausalLM.from_config(CONFIG)
    plain, changed = (
        vars(backend.engine_arguments(bare, "model", {}, EngineSettings(context=length))) for length in (4096, 2048)
    )
    assert (plain["max_model_len"], changed["max_model_len"]) == (4096, 2048)
    assert changed["gpu_memory_utilization"] != plain["gpu_memory_utilization"]
