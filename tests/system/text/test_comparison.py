"""Comparing sentences with a claim: what agrees, and what it may cost at most."""

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from system.text.comparison import compare
from system.text.quantities import disagreeing, quantities
from system.text.words import content_stems

NUMBERS = st.lists(st.sampled_from(["1,500", "1501", "1.5 thousand", "2019", "20%", "R20", "2,019.0", "7" * 400, "14"]))


@given(NUMBERS, NUMBERS)
def test_numbers_disagree_as_one_by_one(some: list[str], others: list[str]) -> None:
    mine, theirs = quantities(" and ".join(some)), quantities(" and ".join(others))
    assert disagreeing(mine, theirs) == tuple(one for one in mine if not any(one.agrees(other) for other in theirs))


def test_a_claim_of_numbers_costs_no_more_than_others() -> None:
    sentence = f"The bridge has {' '.join(map(str, range(300, 500)))}."
    warm = list(compare("The bridge has 3 lanes", "The bridge has 2 lanes.", frozenset()))
    began = process_time()
    list(compare("1," * 1000, sentence, content_stems(sentence)))
    assert warm and process_time() - began < 1.0
