"""The end of a loop awaits no thread that a deadline has left behind."""

import asyncio
from threading import Event

import pytest

from system.models.loop_thread import run_loop


def test_a_stuck_thread_is_not_awaited():
    done = Event()

    async def give_up():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.to_thread(done.wait, 60)
        return "answered"

    try:
        assert run_loop(give_up()) == "answered"
    finally:
        assert not done.is_set(), "it still waits"
        done.set()
