"""The promises of all readers, on sound and hostile inputs and on changes of them."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutation import mutate_json
from tests.fuzz.targets import TARGETS

FIRST = [
    pytest.param(target, seed, id=f"{name} {number}")
    for name, target in TARGETS.items()
    for number, seed in enumerate(target.seeds)
]


@pytest.mark.parametrize(("target", "seed"), FIRST)
def test_reads_or_rejects_first_inputs(target, seed, tmp_path):
    target.check(seed, tmp_path)


# Of a value in the JSON, by a seed; where to cut, as a share of the whole; bytes to put in.
CHANGES = st.lists(st.integers(0, 2**32) | st.floats(0, 1) | st.binary(max_size=6), max_size=3)


def changed(data, change):
    if isinstance(change, int):
        return mutate_json(data, Random(change)) or data
    if isinstance(change, float):
        return data[: round(len(data) * change)]
    place = Random(len(data)).randrange(len(data) + 1)
    return data[:place] + change + data[place:]


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_reads_or_rejects_mutated_inputs(target, tmp_path, data):
    text = data.draw(st.sampled_from(target.seeds))
    for change in data.draw(CHANGES):
        text = changed(text, change)
    target.check(text, tmp_path)
