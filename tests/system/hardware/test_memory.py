import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM

from scripts.benchmarks.shapes import QWEN_14B, QWEN_14B_AWQ
from system.hardware.memory import GIB, plan_memory, skeleton
from system.models.base import ModelUnavailable
from system.settings import EngineSettings, load

A10G = int(22.5 * GIB)
ENGINE = EngineSettings(context=4096, encoder_memory=2.0)


@pytest.fixture(scope="module")
def qwen_14b() -> nn.Module:
    """Qwen2.5-14B-Instruct by its published configuration."""
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(QWEN_14B)


def plan(model, settings=ENGINE, **changes):
    options = {"weights": QWEN_14B_AWQ, "device": A10G, "adapters": 3, "rank": 16, "graphs": True}
    return plan_memory(model, settings, **options | changes)


def test_the_papers_model_fits_the_papers_card(qwen_14b):
    result = plan(qwen_14b)
    assert result.fixed["adapters"] == pytest.approx(0.41e9, rel=0.02)
    assert result.kv_per_token == 2 * 48 * 8 * 128 * 2 and result.kv_tokens > 30_000
    assert 0.96 * A10G < result.engine + 2 * GIB < 0.98 * A10G
    assert result == plan(qwen_14b, ENGINE.model_copy(update={"gpu_memory": 22.5}), device=140 * GIB)


@pytest.mark.parametrize(("adapters", "rank", "claims"), [(3, 16, 4), (4, 32, 4), (4, 64, 3), (4, 128, 2)])
def test_the_largest_adapters_rank_decides_how_many_claims_fit(qwen_14b, adapters, rank, claims):
    settings = load("a10g", {}).engine
    result = plan(qwen_14b, settings, adapters=adapters, rank=rank, device=int(21.98 * GIB))
    assert result.kv_tokens // settings.context == claims


def test_too_little_memory_shows_the_plan(qwen_14b):
    with pytest.raises(ModelUnavailable) as refusal:
        plan(qwen_14b, device=12 * GIB)
    message = str(refusal.value)
    assert "a context of 4,096 tokens needs 0.75 GiB of KV cache, but only 0.00 GiB is left for it" in message
    assert "weights" in message and "shorter context" in message


@pytest.mark.parametrize("content", ["", "[]", "{}", "[" * 5000, '{"model_type": "llama", "hidden_size": 1e400}'])
def test_a_folder_without_a_model_is_named(tmp_path, content):
    if content:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(ModelUnavailable, match=rf"model .{tmp_path}. cannot be read: .*; give a folder with config"):
        skeleton(str(tmp_path))
