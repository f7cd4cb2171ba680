"""What a claim waits for another."""

import pytest

from scripts.benchmarks.neighbours import another, odd_claims
from system.graph.records import LONGEST, short_enough


@pytest.mark.parametrize(("name", "text"), odd_claims("The ferry sailed to Ardenmouth. " * 99).items())
def test_odd_claims_are_as_long_as_one_may_be(name: str, text: str) -> None:
    assert short_enough(another(text))
    with pytest.raises(ValueError, match="expected a statement of at most"):
        short_enough(text + " more" * LONGEST)
