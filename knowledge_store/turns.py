"""Work in threads, a batch at a time: claims that share a model are served first come, first served."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Turns:
    """Threads that work, so many calls at a time; callers are served in the order of asking."""

    def __init__(self, name: str, places: int = 1) -> None:
        self._places = places
        self._threads = ThreadPoolExecutor(places, thread_name_prefix=name)

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Results in the order of the items; only ``places`` of them wait at a time, so that others get in between."""
        asked: deque[Future[R]] = deque()
        for item in items:
            if len(asked) == self._places:
                yield asked.popleft().result()
            asked.append(self._threads.submit(copy_context().run, work, item))
        while asked:
            yield asked.popleft().result()


def batches(items: Iterable[T], length: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Items in the order of their lengths, as many together as fit if each is padded to the longest."""
    batch: list[T] = []
    for item in sorted(items, key=length):
        if batch and (len(batch) + 1) * length(item) > limit:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch
