"""Words: nothing that can be asked for is lost, and the tables say the same as the patterns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25.scoring import encode
from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import (
    CODE_POINT_BITS,
    CODE_POINTS,
    case_folds,
    fingerprints,
    tokenize,
    words,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The U.S. economy's", ["the", "u", "s", "economy", "s"]),
        ("1,000.5 and 1000.5", ["1000.5", "and", "1000.5"]),
        ("12% in 2020.", ["12", "%", "in", "2020"]),
        ("$5m, the 1990s", ["5", "m", "the", "1990", "s"]),
        ("covid19 snake_case", ["covid19", "snake", "case"]),
        ("ÉCOLE Straße", ["école", "strasse"]),
        ("ΟΔΟΣ οδός", ["οδοσ", "οδόσ"]),
        ("प्रधानमंत्री ने कहा।", ["प्रधानमंत्री", "ने", "कहा"]),
        ("中国、東京タワー", ["中", "国", "東", "京", "タ", "ワ", "ー"]),
        ("서울에서 하노이 Hà Nội", ["서울에서", "하노이", "hà", "nội"]),
        ("", []),
    ],
)
def test_words(text, expected):
    assert tokenize(text) == expected


@given(text=st.text())
def test_spans_point_at_the_words(text):
    assert [word for _, word in words(text)] == tokenize(text)
    assert all(tokenize(text[start:end]) == [word] for (start, end), word in words(text))


def test_case_is_folded_as_python_folds_it():
    mask = (1 << CODE_POINT_BITS) - 1
    folds = case_folds()
    changed = np.flatnonzero(folds != np.arange(CODE_POINTS)).tolist()
    assert changed == [code for code in range(CODE_POINTS) if chr(code).casefold() != chr(code)]
    for code, folded in zip(changed, folds[changed].tolist(), strict=True):
        places = range(0, folded.bit_length(), CODE_POINT_BITS)
        assert "".join(chr(folded >> place & mask) for place in places) == chr(code).casefold()


def test_whitespace_is_what_python_splits_at():
    characters = [chr(code) for code in range(CODE_POINTS)]
    blank = fingerprints(*encode(characters)) == 0
    assert np.flatnonzero(blank).tolist() == [code for code, char in enumerate(characters) if not char.split()]


PIECES = ("a", "A", "ß", "ss", "SS", "ẞ", "Σ", "ς", "é", "É", "e\u0301", "中", "😀", "\x00", " ", "\t", "\u3000")
lookalikes = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(texts=st.lists(lookalikes | st.text(max_size=8), min_size=1, max_size=6))
def test_copies_have_equal_fingerprints(texts):
    prints = fingerprints(*encode(texts)).tolist()
    for text, value in zip(texts, prints, strict=True):
        assert (value == 0) == (not text.strip())
        for other, found in zip(texts, prints, strict=True):
            assert (value == found) == (normalized(text) == normalized(other))
