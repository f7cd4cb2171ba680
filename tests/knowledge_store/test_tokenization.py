"""Words: nothing that can be asked for is lost, and the tables say the same as the patterns."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25.scoring import encode
from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import fingerprints, tokenize


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


def test_characters_have_equal_fingerprints_if_they_differ_only_in_case():
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    prints = fingerprints(*encode(characters)).tolist()
    expected = dict(zip(map(normalized, characters), prints, strict=True))
    assert prints == [expected[normalized(char)] for char in characters]
    assert len({*prints}) == len(expected) and expected[""] == 0
    assert prints == fingerprints(*encode([char.casefold() for char in characters])).tolist()


PIECES = ("a", "A", "ß", "ss", "SS", "ẞ", "Σ", "ς", "é", "É", "e\u0301", "中", "😀", "\x00", " ", "\t", "\u3000")
lookalikes = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(texts=st.lists(lookalikes | st.text(max_size=8), min_size=1, max_size=6))
def test_copies_have_equal_fingerprints(texts):
    prints = fingerprints(*encode(texts)).tolist()
    for text, value in zip(texts, prints, strict=True):
        assert (value == 0) == (not text.strip())
        for other, found in zip(texts, prints, strict=True):
            assert (value == found) == (normalized(text) == normalized(other))
