"""What a claim's clock leaves it; how claims of a run share time is in runner/test_checker.py."""

from system.deadline import Allowance, Deadline


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_the_reserve_is_for_the_last_judgement():
    clock = Clock()
    deadline = Deadline(10.0, reserve=3.0, clock=clock)
    assert (deadline.left(), deadline.left(final=True)) == (7.0, 10.0)
    clock.now += 8.0
    assert deadline.spent == 8.0
    assert (deadline.left(), deadline.left(final=True)) == (0.0, 2.0)
    clock.now += 8.0
    assert deadline.left(final=True) == 0.0


def test_a_delayed_run_leaves_each_claim_half_its_budget():
    clock = Clock()
    allowance = Allowance(60.0, places=1, clock=clock)
    clock.now += 1000.0
    allowance.begin()
    claim = Deadline(allowance.longest, clock=clock, allowance=allowance)
    assert claim.left() == 30.0
    clock.now += 30.0
    assert claim.left() == 0.0
