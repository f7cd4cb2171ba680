"""The simulated card: its arithmetic, and what the deadline does to a run on it."""

import asyncio
from dataclasses import replace

import pytest

from scripts.benchmarks.card import CHARACTERS, INPUTS, SCENARIOS, Card, simulate
from system.settings import load
from tests.helpers import fake_time

EXPECTED = SCENARIOS["expected"]
# A card of 1,000 prompt tokens a second.
SLOW = replace(EXPECTED, efficiency=2 * INPUTS["model"]["parameters"] * 1000 / INPUTS["card"]["flops"])
PROMPT = "".join(chr(97 + place % 26) for place in range(int(1000 * CHARACTERS)))


def seconds_of(*requests, passages=0):
    """Seconds after which each request, a prompt and the tokens of its reply, was served."""

    async def run():
        served = Card(SLOW)
        served.embed(passages)

        async def one(prompt, reply):
            await served.serve("judge_claim", "none", prompt, reply)
            return asyncio.get_running_loop().time()

        return await asyncio.gather(*(one(*request) for request in requests))

    return fake_time.run(run())


def test_all_figures_come_from_one_file():
    rates = {name: round(scenario.rate) for name, scenario in SCENARIOS.items()}
    assert rates == {"optimistic": 2271, "expected": 1737, "nei-heavy": 1737}
    assert 256 * (1 + 2.57 * EXPECTED.new_candidates) == pytest.approx(606, rel=0.01)


def test_a_request_takes_its_prompt_and_a_step_for_each_token():
    decoding = sum(SLOW.step + SLOW.cached_token * (1000 + decoded) for decoded in range(10))
    assert seconds_of((PROMPT, 10)) == pytest.approx([1.0 + decoding])


def test_requests_share_steps_and_common_prefixes():
    first, second = seconds_of((PROMPT, 10), (PROMPT, 10))
    assert second == pytest.approx(first, abs=0.05)  # the second prompt is in the cache but for its end
    assert seconds_of((PROMPT, 10), (PROMPT[::-1], 10))[1] > first + 0.9


def test_embedding_comes_first():
    (alone,), (after,) = seconds_of((PROMPT, 1)), seconds_of((PROMPT, 1), passages=768)
    assert after - alone == pytest.approx(768 * SLOW.embedded)


@pytest.mark.slow
def test_the_mean_keeps_the_rule_on_a_far_too_slow_card():
    run = simulate(load("a10g", {"max_concurrent_claims": 4}), 12, replace(EXPECTED, efficiency=0.05))
    assert any(result.timing.cut_short for result in run.results)
    assert run.each <= 60.0
    whole = simulate(load("a10g", {"max_concurrent_claims": 8}), 12, EXPECTED).results
    assert not any(result.timing.cut_short for result in whole)
