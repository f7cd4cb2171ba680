"""Copies of a claim: whole or one of its sentences, affirmed or denied, whatever vouches for it."""

import pytest

from scripts.benchmarks.poisoned_pages import CONFIRMED, DENIED
from system.text.copies import repeats_claim

SENTENCES = (
    "Why should you pay more taxes than the mayor of Velmora pays?",
    "He paid only 750 crowns of income tax in his first year.",
)
CLAIM = " ".join(SENTENCES)


@pytest.mark.parametrize("frame", [*CONFIRMED, *DENIED, "Yes, {}.", "Fact check: true. {}"])
@pytest.mark.parametrize("said", [CLAIM, *SENTENCES])
def test_a_sentence_of_the_claim_is_a_copy(frame: str, said: str) -> None:
    assert repeats_claim(frame.format(said.rstrip(".")), CLAIM)


@pytest.mark.parametrize(
    "frame",
    [
        "A federal court in Tamsira ruled that {}.",
        "A peer-reviewed study in a journal found that {}.",
        "On 3 May 2020, officials in Ostrane confirmed that {}.",
        "The rumor that {} has been thoroughly debunked.",
    ],
)
@pytest.mark.parametrize("said", SENTENCES)
def test_a_quotation_of_the_claim_is_a_copy_in_any_frame(frame: str, said: str) -> None:
    assert repeats_claim(frame.format(said.rstrip(".")), CLAIM)


@pytest.mark.parametrize(
    "evidence",
    [
        "Tax records show that the mayor paid 750 crowns in 2016 and again in 2017, after a refund of 70 million.",
        "The mayor of Velmora paid no income taxes in ten of the last fifteen years, the newspaper found.",
        "In his first year the mayor paid 38,000 crowns of income tax, not 750.",
    ],
)
def test_what_adds_something_is_evidence(evidence: str) -> None:
    assert not repeats_claim(evidence, CLAIM)
