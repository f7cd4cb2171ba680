"""Compiled access to UTF-8: characters come out whole."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25 import encode
from knowledge_store.utf8 import decode


@given(text=st.text() | st.text(st.characters(categories=["Cs", "Co", "So", "Lo"])))
def test_characters_come_out_whole(text: str) -> None:
    data, _, _ = encode([text])
    codes, place = [], 0
    while place < len(data):
        code, place = decode(data, place)
        codes.append(code)
    assert "".join(map(chr, codes)) == text
