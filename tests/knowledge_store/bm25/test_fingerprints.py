"""Fingerprints tell copies from others."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25.scoring import encode
from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import case_folds, fingerprints, spaces

PIECES = ("a", "A", "ß", "ss", "SS", "ẞ", "Σ", "ς", "é", "É", "e\u0301", "中", "😀", "\x00", " ", "\t", "\u3000")
lookalikes = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(texts=st.lists(lookalikes | st.text(max_size=8), min_size=1, max_size=6))
def test_equal_normalized_texts_have_equal_fingerprints(texts: list[str]) -> None:
    prints = fingerprints(*encode(texts), spaces(), case_folds()).tolist()
    for text, value in zip(texts, prints, strict=True):
        assert (value == 0) == (not text.strip())
        for other, found in zip(texts, prints, strict=True):
            assert (value == found) == (normalized(text) == normalized(other))
