"""Copies of a held-out claim are found."""

import pytest

from training.datasets.leakage import HeldOut

CLAIM = "For a cumulative 29 of 60 years of existence as a nation, Nigeria has been under military rule."


@pytest.mark.parametrize(
    ("claim", "copy"),
    [
        (CLAIM.upper(), True),
        (CLAIM.replace("29 of", "29 years out of"), True),
        ("Nigeria has been under military rule.", True),
        (f"A minister said: {CLAIM} He is wrong.", True),
        ("it RAINED.", True),
        ("Nigeria has been independent for 60 years.", False),
        ("", False),
    ],
)
def test_recognizes_copies_of_a_claim(claim, copy):
    assert HeldOut([CLAIM, "", "It rained."]).near_copy(claim) is copy


def test_a_text_must_hold_nearly_all_of_a_claim():
    held_out = HeldOut([CLAIM])
    assert held_out.in_text(f"Question: is it so?\n“{CLAIM}” he wrote.")
    assert not held_out.in_text("Nigeria was under military rule for long, and has existed as a nation since 1960.")
