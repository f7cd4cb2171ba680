import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, Qwen2Config

from scripts.benchmarks.floor import DEVICES, Stage, floor_seconds, prefill_tokens, stages
from system.hardware.memory import plan_memory
from system.settings import EngineSettings, GraphSettings
from system.tasks.base import Adapter

ONE = Stage(Adapter.QUESTION_ANSWERING, requests=3, shared=50, of_claim=100, own=200, reply=10)


@pytest.fixture(scope="module")
def plan():
    config = Qwen2Config(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2)
    with torch.device("meta"):
        bare = AutoModelForCausalLM.from_config(config)
    return plan_memory(bare, EngineSettings(context=64), device=10**12, adapters=3, rank=16, graphs=False)


def test_the_prefix_cache_counts_a_claims_prefix_once():
    assert prefill_tokens([ONE], prefix_cache=False) == 3 * 350
    assert prefill_tokens([ONE], prefix_cache=True) == 100 + 3 * 200
    assert prefill_tokens([ONE, ONE], prefix_cache=True) == 100 + 6 * 200


def test_floor_matches_the_formula(plan):
    device = DEVICES["a10g"]
    prefill = 2 * 10**9 * 1050 / 70e12
    traffic = 10 * (plan.weights + plan.adapters) / 4 + 3 * 10 * (350 + 5) * plan.kv_per_token
    expected = prefill + traffic / 600e9
    assert floor_seconds([ONE], 10**9, plan, device, concurrent_claims=4, prefix_cache=False) == pytest.approx(expected)


@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 10))
def test_a_claim_has_the_requests_of_its_graph(branches, depth, passages):
    line = stages(GraphSettings(questions=branches + 1, branches=branches, depth=depth), passages, adapters=True)
    asked = sum(s.requests for s in line if s.adapter is Adapter.QUESTION_GENERATION)
    answered = sum(s.requests for s in line if s.adapter is Adapter.QUESTION_ANSWERING)
    assert asked == branches + 1 + branches * (depth - 1)
    assert answered == branches * passages * depth
    assert sum(s.requests for s in line if s.adapter is Adapter.VERDICT_PREDICTION) == branches * depth
    bare = stages(GraphSettings(questions=branches + 1, branches=branches, depth=depth), passages, adapters=False)
    assert {s.adapter for s in bare} == {Adapter.NONE}
    assert prefill_tokens(bare, prefix_cache=False) > prefill_tokens(line, prefix_cache=False)
