"""Passages are whole sentences: they cover the page, keep to the size and overlap, and say where they are."""

from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from knowledge_store.bm25.passages import Candidates, passages_of
from knowledge_store.pages.page import Page, Passage
from knowledge_store.settings import RetrievalSettings

sentences = st.lists(
    st.text("aé中😀. \n", max_size=60) | st.text(st.characters(exclude_categories=["Cs"])) | st.just("Rain fell."),
    max_size=9,
)


def passages(found, size, overlap):
    settings = SimpleNamespace(chunk_size=size, chunk_overlap=overlap)
    return list(passages_of(Page(7, "https://a.example", tuple(found)), settings))


@st.composite
def sizes(draw):
    size = draw(st.integers(1, 30))
    return size, draw(st.integers(0, size - 1))


@given(found=sentences, size=sizes())
def test_passages_are_slices_that_cover_their_page(found, size):
    text = " ".join(found)
    cut = passages(found, *size)
    spans = [(one.start, one.start + len(one.text)) for one in cut]
    assert [text[start:end] for start, end in spans] == [one.text for one in cut]
    assert all(end - start <= size[0] for start, end in spans)
    assert all(start < other and end < last for (start, end), (other, last) in pairwise(spans))
    assert all(end - other <= size[1] for (_, end), (other, _) in pairwise(spans))
    covered = set().union(*(range(*span) for span in spans))
    assert {place for place, char in enumerate(text) if char.strip() and not char.isspace()} <= covered


ONE, TWO, THREE = "Tessaly Foods was founded in 2010.", "It is in Bergen.", "It sells fish to Oslo."


@pytest.mark.parametrize(
    ("found", "size", "overlap", "expected"),
    [
        ([ONE, TWO, THREE], 1000, 200, [f"{ONE} {TWO} {THREE}"]),
        ([ONE, TWO, THREE], 60, 0, [f"{ONE} {TWO}", THREE]),
        ([ONE, TWO, THREE], 60, 20, [f"{ONE} {TWO}", f"{TWO} {THREE}"]),
        ([ONE, TWO, THREE], 60, 15, [f"{ONE} {TWO}", THREE]),
        ([f"{ONE} {TWO} {THREE}"], 60, 20, [f"{ONE} {TWO}", f"{TWO} {THREE}"]),
        (["Prices\n\n", TWO, "year: 2020, value: 12%\n\n", "year: 2021"], 45, 0,
         ["Prices\n\n It is in Bergen.", "year: 2020, value: 12%\n\n year: 2021"]),
        (["A sentence that is too long by itself"], 15, 0, ["A sentence that", "is too long by", "itself"]),
        (["Unbreakablewords"], 8, 2, ["Unbreaka", "blewords"]),
        (["桥开通了。河水上涨了。"], 6, 0, ["桥开通了。", "河水上涨了。"]),
        (["It cost approx. five marks. He paid."], 28, 0, ["It cost approx. five marks.", "He paid."]),
        ([], 10, 0, []),
        ([" \n "], 10, 0, []),
    ],
)  # fmt: skip
def test_passages_end_where_sentences_end(found, size, overlap, expected):
    assert [one.text for one in passages(found, size, overlap)] == expected


def test_a_kept_passage_has_the_text_around_it_whatever_else_is_kept():
    page = ("Kort's bridge\n\n", "The bridge opened in 1932.", "It has two lanes.")
    candidates = Candidates(["bridge 1932"], RetrievalSettings(chunk_size=30))
    candidates.add([Page(0, "a", page)])
    (kept,) = candidates.best("bridge 1932", 1)
    assert (kept.head, kept.before, kept.text, kept.after) == (page[0][:-1], f"{page[0]} ", page[1], f" {page[2]}")
    assert kept == Passage(kept.text, "a", 0, kept.start) and "before" not in TypeAdapter(Passage).dump_python(kept)
