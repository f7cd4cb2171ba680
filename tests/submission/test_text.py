import doctest
import re

from hypothesis import given
from hypothesis import strategies as st
from submission_factories import HOSTILE

import submission.text
from submission.text import clean, repair, same_text


def test_examples_in_the_documentation() -> None:
    assert doctest.testmod(submission.text).attempted == 2
    assert doctest.testmod(submission.text).failed == 0


@given(HOSTILE)
def test_repaired_text_is_utf8_without_nuls(text: str) -> None:
    assert "\0" not in repair(text)
    repair(text).encode()


@given(st.text().filter(lambda text: "\0" not in text))
def test_sound_text_is_left_as_it_is(text: str) -> None:
    assert repair(text) == text


@given(HOSTILE)
def test_clean_text_holds_no_separator_and_no_margin(text: str) -> None:
    cleaned = clean(text)
    assert not re.search(r"\t\t\n|\r", cleaned)
    assert cleaned == cleaned.strip() == clean(cleaned)


def test_clean_text_keeps_single_tabs_and_line_breaks() -> None:
    assert clean("year\tvisitors\n2019\t4") == "year\tvisitors\n2019\t4"


def test_texts_are_the_same_but_for_white_space_and_repair() -> None:
    assert same_text("A  claim\n", "A claim")
    assert same_text("A cla\ud800im", "A cla\ufffdim")
    assert not same_text("A claim", "a claim")
