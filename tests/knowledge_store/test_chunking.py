"""Chunking: passages cover the page, have the asked size and overlap, and say where they are."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.chunking import chunk
from knowledge_store.passages import Passage
from knowledge_store.reading import Page


def cut(text: str, size: int, overlap: int) -> list[Passage]:
    return list(chunk(Page(3, "https://a.example/", (text,)), size, overlap))


@st.composite
def windows(draw: st.DrawFn) -> tuple[int, int]:
    size = draw(st.integers(1, 30))
    return size, draw(st.integers(0, size - 1))


@given(text=st.text(min_size=1, max_size=200), window=windows())
def test_every_character_but_white_space_is_in_a_passage_at_its_place(text: str, window: tuple[int, int]) -> None:
    covered = set()
    for passage in cut(text, *window):
        end = passage.start + len(passage.text)
        assert passage.text == text[passage.start : end]
        covered |= set(range(passage.start, end))
    assert all(text[i].isspace() for i in set(range(len(text))) - covered)


@given(text=st.text("ab", min_size=1, max_size=200), window=windows())
def test_neighbours_overlap_as_asked_and_only_the_last_is_short(text: str, window: tuple[int, int]) -> None:
    size, overlap = window
    passages = cut(text, size, overlap)
    assert all(len(passage.text) == size for passage in passages[:-1])
    assert all(b.start - a.start == size - overlap for a, b in pairwise(passages))
    assert all(a.start + len(a.text) < b.start + len(b.text) for a, b in pairwise(passages)), "one within another"


@pytest.mark.parametrize(
    ("length", "starts"),
    [(1, [0]), (999, [0]), (1000, [0]), (1001, [0, 800]), (1800, [0, 800]), (1801, [0, 800, 1600])],
)
def test_a_thousand_characters_with_two_hundred_shared(length: int, starts: list[int]) -> None:
    passages = cut("x" * length, 1000, 200)
    assert [passage.start for passage in passages] == starts
    assert sum(len(passage.text) for passage in passages) - 200 * (len(starts) - 1) == length


def test_passages_know_their_page() -> None:
    assert [(passage.url, passage.page, passage.key) for passage in cut("abcdef", 4, 1)] == [
        ("https://a.example/", 3, (3, 0)),
        ("https://a.example/", 3, (3, 3)),
    ]


def test_white_space_alone_is_no_passage() -> None:
    assert [passage.text for passage in cut("ab  \n\t cd", 2, 0)] == ["ab", " c", "d"]
