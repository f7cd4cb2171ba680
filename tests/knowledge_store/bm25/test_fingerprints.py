"""Fingerprints tell copies from others."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from knowledge_store.bm25.fingerprints import fingerprints, prefixes
from knowledge_store.bm25.scoring import encode
from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import case_folds, spaces

PIECES = ("a", "A", "ß", "ss", "SS", "ẞ", "Σ", "ς", "é", "É", "e\u0301", "中", "😀", "\x00", " ", "\t", "\u3000")
lookalikes = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def prints(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Fingerprints of parts of a text, given in characters."""
    data, _, _ = encode([text])
    offsets = np.cumsum([0, *(len(char.encode("utf-8", "surrogatepass")) for char in text)])
    starts, ends = (offsets[np.array(bounds, dtype=np.int64)] for bounds in zip(*spans, strict=True))
    places = np.unique(np.concatenate([starts, ends, offsets[-1:]]))
    until, since = prefixes(data, places, spaces(), case_folds())
    return list(map(int, fingerprints(starts, ends, until, since, places)))


@given(text=lookalikes | st.text(max_size=8), data=st.data())
def test_equal_normalized_texts_have_equal_fingerprints(text: str, data: st.DataObject) -> None:
    bounds = st.integers(0, len(text))
    spans = data.draw(st.lists(st.tuples(bounds, bounds).map(lambda pair: (min(pair), max(pair))), min_size=1))
    found = dict(zip(spans, prints(text, spans), strict=True))
    for one, value in found.items():
        assert (value == 0) == (not text[slice(*one)].strip())
        for other in found:
            assert (value == found[other]) == (normalized(text[slice(*one)]) == normalized(text[slice(*other)]))


def test_distinguishes_texts_of_any_length() -> None:
    texts = [f"{start}{'x' * length}{end}" for length in (1, 1000, 100_000) for start in "ab" for end in "ab"]
    whole = "".join(texts)
    ends = np.cumsum([len(text) for text in texts]).tolist()
    found = prints(whole, list(zip([0, *ends[:-1]], ends, strict=True)))
    assert len(set(found)) == len(texts)
    assert [prints(text, [(0, len(text))])[0] for text in texts] == found
