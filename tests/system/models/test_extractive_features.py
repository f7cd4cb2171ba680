"""What findings add up to, and what kind of claim it is."""

from dataclasses import replace

import numpy as np
import pytest

from system.models.extractive.findings import Finding
from system.models.extractive.verdict import FEATURES, NEAREST, Features, features
from system.records import Claim

CLAIM = Claim(id=0, text="The bridge opened in May.")
PLAIN = Finding(
    sentence="The bridge opened in May.",
    url="https://example.org",
    closeness=0.8,
    denial=-0.05,
    refuting="",
    hearsay="",
    qualifying="",
    measuring="",
    negation="",
    figures=0,
    agreeing=(),
    differing=(),
)


def test_a_vector_has_the_features_in_their_order() -> None:
    measured = features(CLAIM, [PLAIN])
    assert dict(zip(FEATURES, measured.vector(), strict=True)) == {
        name: getattr(measured, name) for name in Features.__dataclass_fields__
    }


def test_shares_are_weighted_by_how_close_a_finding_is() -> None:
    near = features(CLAIM, [replace(PLAIN, refuting="false"), replace(PLAIN, closeness=0.6)])
    far = features(CLAIM, [PLAIN, replace(PLAIN, closeness=0.6, refuting="false")])
    assert near.refuting == pytest.approx(0.3 / 0.4)
    assert far.refuting == pytest.approx(0.1 / 0.4)


def test_what_is_far_behind_the_closest_counts_for_nothing() -> None:
    assert features(CLAIM, [PLAIN, replace(PLAIN, closeness=0.4, refuting="false")]).refuting == 0


def test_only_the_nearest_count() -> None:
    assert features(CLAIM, [PLAIN] * NEAREST + [replace(PLAIN, refuting="false")]).refuting == 0


@pytest.mark.parametrize(("negated", "split"), [(0, 0.0), (1, 0.25), (2, 0.5), (4, 0.0)])
def test_findings_are_split_when_only_some_are_negated(negated: int, split: float) -> None:
    found = [replace(PLAIN, negation="not")] * negated + [PLAIN] * (4 - negated)
    assert features(CLAIM, found).split == pytest.approx(split)


def test_denial_is_in_tenths() -> None:
    measured = features(CLAIM, [PLAIN, replace(PLAIN, denial=0.03)])
    assert measured.denial == pytest.approx(-0.1)
    assert measured.strongest_denial == pytest.approx(0.3)


def test_numbers_are_confirmed_or_contradicted() -> None:
    claim = Claim(id=0, text="It cost 24 million euros and took 7,000 men.")
    agreeing = replace(PLAIN, agreeing=("24 million euros",))
    measured = features(claim, [agreeing, replace(PLAIN, differing=("9,000",))])
    assert (measured.agreeing, measured.differing, measured.has_figure) == (0.5, pytest.approx(0.5), 1.0)
    assert features(CLAIM, [agreeing]).agreeing == 0  # nothing claimed, nothing confirmed


def test_words_that_no_finding_has_are_uncovered() -> None:
    claim = Claim(id=0, text="Tolls doubled overnight.")
    assert features(claim, [PLAIN]).uncovered == 1
    assert features(claim, [replace(PLAIN, sentence="Tolls doubled.")]).uncovered == 0


@pytest.mark.parametrize(
    ("fields", "viral", "on_record"),
    [
        ({"reporting_source": "Facebook", "speaker": "Mara Quill"}, 1, 0),
        ({"original_url": "https://web.whatsapp.example"}, 1, 0),
        ({"reporting_source": "Twitter", "speaker": "Mara Quill"}, 0, 0),
        ({"reporting_source": "Radio", "speaker": "Mara Quill"}, 0, 1),
        ({"reporting_source": "Radio"}, 0, 0),
    ],
)
def test_where_a_claim_comes_from(fields: dict[str, str], viral: float, on_record: float) -> None:
    measured = features(CLAIM.model_copy(update=fields), [PLAIN])
    assert (measured.viral, measured.on_record) == (viral, on_record)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mara Quill said that it is open.", "has_quote"),
        ("Vinegar cures a cold.", "causal"),
        ("Prices fell.", "change"),
        ("It has 12 arches.", "has_figure"),
    ],
)
def test_what_a_claim_speaks_of(text: str, name: str) -> None:
    assert getattr(features(Claim(id=0, text=text), [PLAIN]), name) == 1
    assert getattr(features(CLAIM, [PLAIN]), name) == 0


def test_nothing_found_is_measured_without_an_error() -> None:
    assert np.isfinite(features(CLAIM, []).vector()).all()
