"""Event loops and threads: a loop in a thread of its own, threads for what would block it, and a loop's end."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """A running event loop; any thread may give it work.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start work; to cancel the future cancels the work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End the thread and close the loop; blocks for a moment."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Unawaited(ThreadPoolExecutor):
    """Threads that nobody awaits when the loop ends."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Do work as ``asyncio.run`` does, without awaiting threads that a deadline has left behind."""

    async def run() -> T:
        asyncio.get_running_loop().set_default_executor(_Unawaited())
        return await work

    return asyncio.run(run())


async def in_own_thread(work: Callable[[], T]) -> T:
    """Do work in a thread of its own; whatever hangs there takes no place in an executor that others wait for.

    Cancelled, it is not waited for, nor when the program ends.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - whoever awaits it sees to it
            future.set_exception(error)
        else:
            future.set_result(result)

    Thread(target=run, name="reading", daemon=True).start()
    return await asyncio.wrap_future(future)
