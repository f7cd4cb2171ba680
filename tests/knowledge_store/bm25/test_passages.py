"""Chunking: windows cover the page, have the asked size and overlap, and say where they are."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25.passages import cut
from knowledge_store.bm25.scoring import encode

pages = st.lists(st.text("aé中😀 ", max_size=60) | st.text(st.characters(exclude_categories=["Cs"])), max_size=5)


def windows(texts: Sequence[str], size: int, overlap: int) -> list[tuple[int, int, str]]:
    """Page, first character and text of every window."""
    text, _, ends = encode(texts)
    found = cut(text, ends, size, overlap)
    contents = [text[start:end].tobytes().decode() for start, end in zip(found.starts, found.ends, strict=True)]
    return list(zip(found.pages.tolist(), found.chars.tolist(), contents, strict=True))


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int]:
    size = draw(st.integers(1, 30))
    return size, draw(st.integers(0, size - 1))


@given(texts=pages, size=sizes())
def test_windows_are_slices_of_their_page(texts: list[str], size: tuple[int, int]) -> None:
    length, overlap = size
    expected = [
        (page, start, text[start : start + length])
        for page, text in enumerate(texts)
        for start in range(0, max(len(text) - overlap, min(len(text), 1)), length - overlap)
    ]
    assert windows(texts, *size) == expected


@given(text=st.text("aé", min_size=1, max_size=200), size=sizes())
def test_every_character_is_in_a_window_and_no_window_in_another(text: str, size: tuple[int, int]) -> None:
    spans = [(start, start + len(window)) for _, start, window in windows([text], *size)]
    assert set().union(*(range(*span) for span in spans)) == set(range(len(text)))
    assert all(end < other for (_, end), (_, other) in pairwise(spans))
    assert all(end - start == size[0] for start, end in spans[:-1])


@pytest.mark.parametrize(
    ("length", "starts"),
    [(0, []), (1, [0]), (999, [0]), (1000, [0]), (1001, [0, 800]), (1800, [0, 800]), (1801, [0, 800, 1600])],
)
def test_windows_of_1000_characters_overlap_by_200(length: int, starts: list[int]) -> None:
    assert [start for _, start, _ in windows(["é" * length], 1000, 200)] == starts
