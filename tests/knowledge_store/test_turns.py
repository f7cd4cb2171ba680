"""Turns at what several threads share."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from knowledge_store.turns import Turns
from tests.helpers.processes import PATIENCE


@pytest.mark.parametrize("places", [1, 3])
def test_results_keep_the_order_of_the_items(places: int) -> None:
    turns = Turns("test", places)
    assert list(turns.map(str, range(10))) == [str(number) for number in range(10)]
    assert list(turns.map(str, [])) == []


def test_an_error_is_raised_and_ends_no_turns() -> None:
    turns = Turns("test")
    with pytest.raises(ZeroDivisionError):
        list(turns.map(lambda number: 1 / number, [1, 0, 2]))
    assert list(turns.map(str, [1])) == ["1"]


def test_who_comes_later_gets_a_turn_between_those_of_many_items() -> None:
    turns, began, others_wait, order = Turns("test"), Event(), Event(), []

    def work(item: str) -> None:
        began.set()
        assert others_wait.wait(PATIENCE)
        order.append(item)

    def of_another() -> Iterator[str]:
        yield "b"
        others_wait.set()  # for by now it waits

    with ThreadPoolExecutor(2) as threads:
        many = threads.submit(lambda: list(turns.map(work, "aaaa")))
        assert began.wait(PATIENCE)
        few = threads.submit(lambda: list(turns.map(work, of_another())))
        few.result(), many.result()
    assert order == ["a", "b", "a", "a", "a"]
