"""Sentences of the evidence beside the claim: numbers, negations, cues, lean."""

import pytest
from bridge import BagOfWords, passage

from system.models.extractive.findings import compare, denials, findings
from system.models.extractive.roles import as_pairs
from system.models.extractive.similarity import Similarity
from system.records import Claim

CLAIM = Claim(id=0, text="The Aster bridge cost 24 million euros.")


@pytest.mark.parametrize(
    ("sentence", "agreeing", "differing"),
    [
        ("It cost 24 million euros.", ("24 million euros",), ()),
        ("It cost 23.9 million euros.", ("23.9 million euros",), ()),
        ("It cost 31 million euros.", (), ("31 million euros",)),
        ("It has 31 arches.", (), ()),
        ("It opened in 1932.", (), ()),
    ],
)
def test_numbers_agree_or_differ_by_kind(sentence: str, agreeing: tuple[str, ...], differing: tuple[str, ...]) -> None:
    assert compare(CLAIM.text, sentence) == (agreeing, differing)


def read(*sentences: str, claim: Claim = CLAIM):
    pairs = as_pairs(claim, [passage(sentence, page=page) for page, sentence in enumerate(sentences)])
    return findings(claim.text, pairs, Similarity(BagOfWords()))


def test_the_closest_sentence_comes_first_and_each_counts_once() -> None:
    found = read("Tea is served here. The Aster bridge is old.", "The Aster bridge is old.")
    assert [finding.sentence for finding in found] == ["The Aster bridge is old.", "Tea is served here."]


def test_cues_are_quoted() -> None:
    (finding,) = read("Some posts falsely claimed that the bridge cost half, data show.")
    assert (finding.refuting, finding.hearsay, finding.qualifying, finding.measuring) == (
        "falsely",
        "posts",
        "Some",
        "data",
    )


@pytest.mark.parametrize(
    ("claim", "sentence", "negation"),
    [
        ("The bridge is open.", "The bridge is not open.", "not"),
        ("The bridge isn’t open.", "The bridge is open.", "isn’t"),
        ("The bridge is not open.", "The bridge never was open.", ""),
        ("The bridge is open.", "The bridge was open.", ""),
    ],
)
def test_only_a_one_sided_negation_counts(claim: str, sentence: str, negation: str) -> None:
    (finding,) = read(sentence, claim=Claim(id=0, text=claim))
    assert finding.negation == negation


def test_a_denial_is_closer_to_denials_than_to_the_claim() -> None:
    denied, said = read(
        "There is no evidence that the Aster bridge cost that, it is false.", "The Aster bridge cost 24."
    )
    if said.sentence.startswith("There"):
        denied, said = said, denied
    assert said.denial < denied.denial


def test_denials_negate_the_main_clause() -> None:
    assert denials("The Aster bridge opened in 1932.")[0] == "the Aster bridge did not open in 1932."
    assert denials("BREAKING NEWS")[0] == "It is not true that BREAKING NEWS."


def test_without_passages_there_is_nothing() -> None:
    assert read() == []
