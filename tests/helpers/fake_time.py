"""An event loop on a clock of its own: waiting takes no time, computing takes none either."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class FakeTimeLoop(asyncio.SelectorEventLoop):
    """Its time stands still while anything can run, threads included; then it jumps to the next timer."""

    def __init__(self) -> None:
        self._now = 0.0
        self._threads = 0
        super().__init__()

    def time(self) -> float:
        return self._now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        future = super().run_in_executor(executor, func, *args)
        self._threads += 1
        future.add_done_callback(self._thread_ended)
        return future

    def _thread_ended(self, _: object) -> None:
        self._threads -= 1

    def _run_once(self) -> None:
        timers = [timer.when() for timer in self._scheduled if not timer.cancelled()]
        if timers and not (self._ready or self._threads):
            self._now = max(self._now, min(timers))
        super()._run_once()


def run(work: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` on fake time."""
    with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
        return runner.run(work)
