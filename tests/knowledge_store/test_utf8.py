"""Compiled access to UTF-8: characters come out whole, fingerprints tell copies from others."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25 import encode
from knowledge_store.ranking import normalized
from knowledge_store.tokenization import case_folds, spaces
from knowledge_store.utf8 import decode, fingerprints

lookalikes = st.lists(
    st.sampled_from(
        ["a", "A", "ß", "ss", "SS", "ẞ", "Σ", "ς", "é", "É", "e\u0301", "中", "😀", " ", "\t", "\u3000", "\x1f", ""]
    ),
    max_size=6,
).map("".join)


def prints(*texts: str) -> list[int]:
    data = encode(texts)
    return list(map(int, fingerprints(*data, spaces(), case_folds())))


@given(text=st.text())
def test_characters_come_out_whole(text: str) -> None:
    data, _, _ = encode([text])
    codes, place = [], 0
    while place < len(data):
        code, place = decode(data, place)
        codes.append(code)
    assert "".join(map(chr, codes)) == text


@given(texts=st.lists(lookalikes | st.text(max_size=4), min_size=2, max_size=4))
def test_texts_have_one_fingerprint_if_they_are_one_text_normalized(texts: list[str]) -> None:
    found = prints(*texts)
    for text, value in zip(texts, found, strict=True):
        assert [value == other for other in found] == [normalized(text) == normalized(other) for other in texts]
        assert (value == 0) == (not text.strip())


@given(text=st.text())
def test_a_fingerprint_depends_on_the_text_alone(text: str) -> None:
    assert prints("before", text, "after")[1:2] == prints(text)
