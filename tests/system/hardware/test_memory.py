import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM, Qwen2Config

from scripts.benchmarks.shapes import QWEN_14B, awq
from system.hardware.memory import GIB, plan_memory, skeleton
from system.models.base import ModelUnavailable
from system.settings import EngineSettings, load

A10G = int(22.5 * GIB)
ENGINE = EngineSettings(context=4096, encoder_memory=2.0)


@pytest.fixture(scope="module")
def qwen_14b() -> nn.Module:
    """Qwen2.5-14B-Instruct-AWQ by its published configuration."""
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(awq(QWEN_14B))


def plan(model, **changes):
    options = {"device": A10G, "adapters": 3, "rank": 16, "graphs": True} | changes
    settings = options.pop("settings", ENGINE)
    return plan_memory(model, settings, **options)


def test_the_papers_model_fits_the_papers_card(qwen_14b):
    result = plan(qwen_14b)
    assert result.fixed["weights"] == pytest.approx(9.98e9, rel=0.005)
    assert result.fixed["adapters"] == pytest.approx(0.41e9, rel=0.02)
    assert result.kv_per_token == 2 * 48 * 8 * 128 * 2 and result.kv_tokens > 30_000
    assert 0.96 * A10G < result.engine + 2 * GIB < 0.98 * A10G


@pytest.mark.parametrize(("adapters", "rank", "claims"), [(3, 16, 4), (4, 32, 4), (4, 64, 3), (4, 128, 2)])
def test_the_largest_adapters_rank_decides_how_many_claims_fit(qwen_14b, adapters, rank, claims):
    settings = load("a10g", {}).engine
    result = plan(qwen_14b, settings=settings, adapters=adapters, rank=rank, device=int(21.98 * GIB))
    assert result.kv_tokens // settings.context == claims


def test_too_little_memory_shows_the_plan(qwen_14b):
    with pytest.raises(ModelUnavailable) as refusal:
        plan(qwen_14b, device=12 * GIB)
    message = str(refusal.value)
    assert "a context of 4,096 tokens needs 0.75 GiB of KV cache, but only 0.00 GiB is left for it" in message
    assert "weights" in message and "shorter context" in message


def test_memory_setting_caps_a_larger_device(qwen_14b):
    capped = plan(qwen_14b, device=140 * GIB, settings=ENGINE.model_copy(update={"gpu_memory": 22.5}))
    assert capped == plan(qwen_14b)


def test_unquantized_weights_have_two_bytes():
    config = Qwen2Config(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=1)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    assert plan(model).fixed["weights"] == 2 * sum(p.numel() for p in model.parameters())


@pytest.mark.slow
def test_planned_weights_match_the_files(tiny_model):
    bare = skeleton(str(tiny_model / "awq"))
    files = (tiny_model / "awq" / "model.safetensors").stat().st_size
    assert plan(bare, rank=0, adapters=0).fixed["weights"] == pytest.approx(files, rel=0.02)


def test_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"cannot be read: .*; give a folder with config\.json"):
        skeleton(str(tmp_path))


DAMAGED = [
    *("[]", "5", "{}", "[" * 5000, '{"model_type": 5}', '{"model_type": "llama", "hidden_size": null}'),
    *('{"model_type": "llama", "hidden_size": 1e400}', '{"model_type": "llama", "num_hidden_layers": [[]]}'),
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_configuration_names_the_folder(tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(ModelUnavailable, match=f"model '{tmp_path}' cannot be"):
        skeleton(str(tmp_path))
