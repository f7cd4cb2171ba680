from collections import Counter

import pytest

from factgraph import Label
from scripts.benchmarks.contradictions import EXPECTED, cases, rate, table
from system.text.claim_detection import not_a_claim

CASES = list(cases())


def test_every_kind_has_cases_and_claims_are_unique():
    counts = Counter(case.kind for case in CASES)
    assert counts.keys() < EXPECTED.keys() and len({case.claim for case in CASES}) == len(CASES)
    assert sum(counts[kind] for kind, label in EXPECTED.items() if label is Label.REFUTED) >= 60
    assert counts["paraphrase"] >= 30


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.claim[:40])
def test_only_opinions_and_questions_are_not_claims(case):
    assert bool(not_a_claim(case.claim)) == (case.kind in ("opinion", "question"))


def test_rates_count_the_label_that_was_expected():
    counts = {"year": Counter({Label.SUPPORTED: 1, Label.REFUTED: 3}), "paraphrase": Counter({Label.REFUTED: 2})}
    assert rate(counts, Label.REFUTED, Label.SUPPORTED, "wrong") == "wrong: 1 of 4 (25.0%)"
    assert rate(counts, Label.SUPPORTED, Label.REFUTED, "wrong") == "wrong: 2 of 2 (100.0%)"
    assert table(counts).row_count == 2
