"""Stemming in several threads, as the reader does it for several branches at once."""

import sys
from concurrent.futures import ThreadPoolExecutor

from system.text.words import stem

ENDINGS = ("ations", "iveness", "ously", "ing", "edly", "ization", "ements")
WORDS = [f"{chr(97 + i)}{chr(97 + j)}k{ending}" for i in range(26) for j in range(26) for ending in ENDINGS]


def test_gives_the_same_stems_in_many_threads() -> None:
    plain, usual = stem.__wrapped__, sys.getswitchinterval()
    expected = [plain(word) for word in WORDS]
    sys.setswitchinterval(1e-6)  # threads take turns as often as they can
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(plain, WORDS)) == expected
    finally:
        sys.setswitchinterval(usual)
