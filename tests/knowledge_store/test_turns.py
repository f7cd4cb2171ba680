"""Turns at what several threads share."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from knowledge_store.turns import Turns
from tests.helpers.processes import PATIENCE


def test_who_comes_later_gets_a_turn_between_those_of_many_items():
    turns, began, others_wait, order = Turns("test"), Event(), Event(), []

    def work(item):
        began.set()
        assert others_wait.wait(PATIENCE)
        order.append(item)

    def of_another():
        yield "b"
        others_wait.set()  # for by now it waits

    with ThreadPoolExecutor(2) as threads:
        many = threads.submit(lambda: list(turns.map(work, "aaaa")))
        assert began.wait(PATIENCE)
        few = threads.submit(lambda: list(turns.map(work, of_another())))
        few.result(), many.result()
    assert order == ["a", "b", "a", "a", "a"]
