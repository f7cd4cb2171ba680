import asyncio

import pytest

from system.deadline import Allowance, Deadline
from tests.helpers import fake_time


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_reserve_is_for_the_last_judgement(clock):
    deadline = Deadline(10.0, reserve=3.0, clock=clock)
    assert (deadline.left(), deadline.left(final=True)) == (7.0, 10.0)
    clock.now += 8.0
    assert deadline.spent == 8.0
    assert (deadline.left(), deadline.left(final=True)) == (0.0, 2.0)
    clock.now += 8.0
    assert deadline.left(final=True) == 0.0


def test_claims_of_a_run_share_its_time(clock):
    allowance = Allowance(60.0, places=4, clock=clock)
    for _ in range(4):
        allowance.begin()
    first = Deadline(allowance.longest, reserve=9.0, clock=clock, allowance=allowance)
    assert first.left(final=True) == 240.0 and first.left() == 231.0
    clock.now += 200.0
    assert first.left(final=True) == 40.0
    allowance.begin()  # another has ended, and left what it did not use
    assert first.left(final=True) == 100.0
    for _ in range(100):
        allowance.begin()
    assert first.left(final=True) == allowance.longest - 200.0 == 280.0


def test_a_delayed_run_leaves_each_claim_half_its_budget(clock):
    allowance = Allowance(60.0, places=1, clock=clock)
    clock.now += 1000.0
    allowance.begin()
    claim = Deadline(allowance.longest, clock=clock, allowance=allowance)
    assert claim.left() == 30.0
    clock.now += 30.0
    assert claim.left() == 0.0


@pytest.mark.parametrize(("begins", "ended"), [(0, 60.0), (1, 120.0), (9, 120.0)])
def test_running_work_may_use_the_budget_of_a_new_claim(begins, ended):
    async def work():
        clock = asyncio.get_running_loop().time
        allowance = Allowance(60.0, places=1, clock=clock)
        allowance.begin()
        deadline = Deadline(allowance.longest, clock=clock, allowance=allowance)
        for _ in range(begins):
            asyncio.get_running_loop().call_later(50.0, allowance.begin)
        with pytest.raises(TimeoutError):
            async with deadline.limit():
                await asyncio.sleep(3600.0)
        return clock()

    assert fake_time.run(work()) == pytest.approx(ended)


def test_a_claim_of_a_run_that_is_far_ahead_ends_at_the_limit(clock):
    allowance = Allowance(60.0, places=8, clock=clock, limit=100.0)
    for _ in range(500):
        allowance.begin()
    claim = Deadline(allowance.longest, clock=clock, allowance=allowance)
    clock.now += 99.0
    assert claim.left() == 1.0
