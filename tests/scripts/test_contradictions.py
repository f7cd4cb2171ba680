from collections import Counter

import pytest

from scripts.contradictions import EXPECTED, cases, rate, table
from system import Label
from system.checkable import no_claim

CASES = list(cases())


def test_every_kind_has_cases_and_no_claim_stands_twice():
    counts = Counter(case.kind for case in CASES)
    assert counts.keys() == EXPECTED.keys() and len({case.claim for case in CASES}) == len(CASES)
    assert sum(counts[kind] for kind, label in EXPECTED.items() if label is Label.REFUTED) >= 60
    assert counts["paraphrase"] >= 30


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.claim[:40])
def test_opinions_and_questions_alone_are_no_claims(case):
    assert bool(no_claim(case.claim)) == (case.kind in ("opinion", "question"))


def test_rates_count_the_label_that_was_expected():
    counts = {"year": Counter({Label.SUPPORTED: 1, Label.REFUTED: 3}), "paraphrase": Counter({Label.REFUTED: 2})}
    assert rate(counts, Label.REFUTED, Label.SUPPORTED, "wrong") == "wrong: 1 of 4 (25.0%)"
    assert rate(counts, Label.SUPPORTED, Label.REFUTED, "wrong") == "wrong: 2 of 2 (100.0%)"
    assert table(counts).row_count == 2
