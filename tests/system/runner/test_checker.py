"""The time of a run on a fake clock: what the rule counts is the mean over the run."""

import asyncio
from pathlib import Path

import pytest

from system.graph.records import Label
from system.runner.run import LocalChecker
from tests.helpers import fake_time
from tests.helpers.bridge import CLAIM


@pytest.fixture
def check_claims(slow_engine):
    """Check claims of whose first question each takes so many seconds: their results, and the seconds of the run."""

    async def check_all(engine, count):
        claims = [CLAIM.model_copy(update={"id": number}) for number in range(count)]
        async with LocalChecker(engine, Path(), claims) as checker:
            checked = await asyncio.gather(*(checker.check(claim) for claim in claims))
        return [result for result, _ in checked], asyncio.get_running_loop().time()

    def check(*seconds, **run):
        changes = {f"run__{name}": value for name, value in {"budget": 60.0, **run}.items()}
        return fake_time.run(check_all(slow_engine(seconds, graph__depth=1, **changes), len(seconds)))

    return check


def test_does_not_cut_claims_while_the_run_is_ahead(check_claims):
    """Two in flight have two minutes each, and more after fast ones."""
    results, seconds = check_claims(110.0, 1.0, 1.0, 1.0, 200.0, max_concurrent_claims=2)
    assert not any(result.timing.cut_short for result in results)
    assert [result.verdict.label for result in results] == [Label.SUPPORTED] * 5
    assert seconds == 203.0


def test_keeps_the_mean_where_every_claim_is_slow(check_claims):
    results, seconds = check_claims(*[600.0] * 6, max_concurrent_claims=2)
    assert all(result.timing.cut_short for result in results)
    assert seconds == pytest.approx(6 * 60.0)


def test_a_hanging_claim_ends_even_if_the_run_is_far_ahead(check_claims):
    results, seconds = check_claims(*[1.0] * 100, 1e9, *[1.0] * 100, max_concurrent_claims=2)
    assert [result.claim.id for result in results if result.timing.cut_short] == [100]
    assert results[100].timing.seconds == pytest.approx(2 * 2 * 60.0)
    assert seconds == pytest.approx(50 + 2 * 2 * 60.0)
