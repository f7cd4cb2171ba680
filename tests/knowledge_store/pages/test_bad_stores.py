"""Stores as bad as they come: a clear outcome, in bounded time and memory."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge_store import ranking
from knowledge_store.pages import store
from knowledge_store.pages.page import Flaw
from knowledge_store.settings import RetrievalSettings

Write = Callable[..., Path]

URL = "https://a.example/"


def rank(path, claim="A bridge in Oslo"):
    return ranking.rank(path, claim, RetrievalSettings())


def test_skips_a_line_without_end_in_bounded_memory(write_store, monkeypatch):
    monkeypatch.setattr(store, "MAX_LINE", 2**20)
    path = write_store(["A bridge."], b'{"url": "' + b"x" * 32 * 2**20, ["Oslo."])
    tracemalloc.start()
    ranked = rank(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {(passage.page, passage.text) for passage in ranked.passages} == {(0, "A bridge."), (2, "Oslo.")}
    assert ranked.report.flaws == {Flaw.LINE_TOO_LONG: 1}
    assert peak < 16 * 2**20


@pytest.mark.parametrize("character", ["x", "é", "中", "😀", "1", "%", "\u0301"])
def test_a_page_of_ten_million_letters_is_ranked(write_store, character):
    page = character * 5_000_000 + "Oslo" + character * 5_000_000
    ranked = rank(write_store(["A bridge."], {"url": URL, "url2text": [page]}), f"bridge {character * 1000}")
    assert ranked.report.pages == 2
    assert ranked.report.passages < 10, "windows of one character repeated are all the same"
    assert all(
        passage.text in (page, "A bridge.") or page.startswith(passage.text, passage.start)
        for passage in ranked.passages
    )


@pytest.mark.parametrize(
    "lines", [[], [[]], [[" ", "\u3000"]], [["\u200b\u2060", "."], ["…", "—", "_"]], [b"", b"\n"], [b"broken"]]
)
def test_an_empty_store_gives_an_empty_ranking(write_store, lines):
    ranked = rank(write_store(*lines))
    assert (ranked.passages, ranked.scores, ranked.report.passages) == ((), (), 0)


@pytest.mark.parametrize("claim", ["zebra", "", "!?", "x" * 100_000, "\ud83d", "zebra " * 10_000])
def test_a_claim_of_unknown_words_keeps_the_stores_order(write_store, claim):
    ranked = rank(write_store(*([f"Word {number}."] for number in range(20))), claim)
    assert [passage.page for passage in ranked.passages] == list(range(20))
    assert set(ranked.scores) == {0.0}
