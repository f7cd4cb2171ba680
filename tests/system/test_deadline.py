from system.deadline import Deadline


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_time_runs_down_and_the_reserve_is_for_the_last_judgement():
    clock = Clock()
    deadline = Deadline(10.0, reserve=3.0, clock=clock)
    assert (deadline.left(), deadline.left(final=True)) == (7.0, 10.0)
    clock.now += 8.0
    assert deadline.spent == 8.0
    assert (deadline.left(), deadline.left(final=True)) == (0.0, 2.0)
    clock.now += 8.0
    assert deadline.left(final=True) == 0.0
