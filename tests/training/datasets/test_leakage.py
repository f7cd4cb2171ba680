"""Copies of a held-out claim are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.datasets.leakage import HeldOut
from training.datasets.samples import texts_of

CLAIM = "For a cumulative 29 of 60 years of existence as a nation, Nigeria has been under military rule."


@pytest.mark.parametrize(
    ("claim", "copy"),
    [
        (CLAIM.upper(), True),
        (
            "For a cumulative 29 years out of 60 years of existence as a nation, Nigeria has been under military rule",
            True,
        ),
        ("Nigeria has been under military rule.", True),
        (f"A minister said: {CLAIM} He is wrong.", True),
        ("Nigeria has been independent for 60 years.", False),
        ("", False),
    ],
)
def test_recognizes_copies_of_a_claim(claim: str, copy: bool) -> None:
    assert HeldOut([CLAIM, ""]).near_copy(claim) is copy


def test_a_text_must_hold_nearly_all_of_a_claim() -> None:
    held_out = HeldOut([CLAIM])
    assert held_out.in_text(f"Question: is it so?\n“{CLAIM}” he wrote.")
    assert not held_out.in_text(
        "Nigeria has been under military rule for long, and has existed as a nation since 1960."
    )


def test_only_an_equal_text_repeats_a_claim_of_two_words() -> None:
    held_out = HeldOut(["Bees sting."])
    assert held_out.near_copy("bees  STING.") and not held_out.in_text("Do bees sting? Yes, bees sting people.")


@given(st.lists(st.text(alphabet="abc ", min_size=1), max_size=4))
def test_every_held_out_claim_is_a_copy_of_itself(claims: list[str]) -> None:
    held_out = HeldOut(claims)
    assert all(held_out.near_copy(claim) and held_out.in_text(claim) for claim in claims if claim.strip())


def test_checks_all_texts_for_leakage_except_instructions() -> None:
    prompt = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    line = {"prompt": prompt, "chosen": [{"content": "C"}], "rejected": [{"content": "R"}]}
    assert texts_of(line) == ["U", "C", "R"]
