import asyncio

import fake_time

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


def test_time_passes_only_where_something_waits():
    async def wait():
        loop, order = asyncio.get_running_loop(), []
        async with asyncio.TaskGroup() as group:
            for seconds in (3600.0, 60.0):
                group.create_task(nap(seconds, order))
        await asyncio.to_thread(order.append, "thread")
        return loop.time(), order

    async def nap(seconds, order):
        await asyncio.sleep(seconds)
        order.append(seconds)

    assert fake_time.run(wait()) == (3600.0, [60.0, 3600.0, "thread"])
