"""Stemming in several threads, as the reader does it for several branches at once."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from system.text.words import stem

ENDINGS = ("ations", "iveness", "ously", "ing", "edly", "ization", "ements")
WORDS = [f"{chr(97 + i)}{chr(97 + j)}k{ending}" for i in range(26) for j in range(26) for ending in ENDINGS]


@pytest.fixture
def _eager_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_eager_threads")
def test_gives_the_same_stems_in_many_threads() -> None:
    plain = stem.__wrapped__
    expected = [plain(word) for word in WORDS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(plain, WORDS)) == expected
