"""Text that is made to take long, such as base64 and words without end: work grows with its length alone."""

import signal
from base64 import b64encode
from random import Random

import pytest

from knowledge_store.pages.filters import dates_in, is_fact_check, is_prompt_injection
from knowledge_store.pages.sentences import cut
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings

BASE64 = b64encode(Random(1).randbytes(300_000)).decode()
HOSTILE = {
    "base64": BASE64,
    "long words": " ".join("x" * 5000 for _ in range(80)),
    "one word": "a" * 400_000,
    "dotless i and long s": "fıve ſix İ " * 40_000,
    "numbers without end": "1,1." * 100_000,
    "blank lines": "\n" * 400_000,
    "blanks": " " * 400_000,
    "stops": "." * 400_000,
    "quotation marks": '."' * 200_000,
    "combining marks": "e" + "\u0301" * 400_000,
}


@pytest.fixture(autouse=True)
def bounded():
    """Fail after 40 seconds of processor time, which a busy machine does not change; the work takes under one."""

    def stop(*_):
        raise AssertionError("the work does not grow with the length of the text alone")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 40)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_split_ranked_and_filtered(text, write_store):
    settings = RetrievalSettings(fact_checks=False, later_pages=False)
    ranked = rank(write_store([text], ["Five bridges in Oslo."], ["It rained."]), "five bridges fıve ſix", settings)
    assert ranked.passages[0].text == "Five bridges in Oslo." or "fıve" in text
    assert "".join("".join(cut([text], "en")).split()) == "".join(text.split())
    assert not is_prompt_injection(text[:20_000])
    assert not is_fact_check(text[:20_000]) and not list(dates_in(text[:20_000]))


def test_a_host_of_many_labels_is_judged_by_its_last_ones():
    assert not is_fact_check(f"https://{'a.' * 50_000}example/")
    assert is_fact_check(f"https://{'a.' * 50_000}snopes.com/") and is_fact_check("https://snopes.com./")
