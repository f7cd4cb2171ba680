"""The promises of all readers, on sound and hostile inputs and on changes of them."""

import json
import math
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS

FIRST = [
    pytest.param(target, seed, id=f"{name} {number}")
    for name, target in TARGETS.items()
    for number, seed in enumerate(target.seeds)
]


@pytest.mark.parametrize(("target", "seed"), FIRST)
def test_reads_or_rejects_first_inputs(target, seed, tmp_path):
    target.check(seed, tmp_path)


# What programs and people write where something else was meant.
WRONG = (None, True, 0, -1, 1.5, 1e308, 10**30, math.nan, math.inf, "", " ", "NA", "nan", "7", "\ud800", "\0",
           "\t\t\n\n", "\r\n", "x" * 300, [], {}, [[]], [{}], {"": ""})  # fmt: skip


def mutate_json(data, random):
    """Change, drop or replace one value of the JSON that a random line holds, if it holds any."""
    lines = data.split(b"\n")
    number = random.randrange(len(lines))
    line = lines[number]
    start = min((place for place in (line.find(b"{"), line.find(b"[")) if place >= 0), default=0)
    try:
        value = replaced(json.loads(line[start:]), random)
        lines[number] = line[:start] + json.dumps(value, ensure_ascii=random.random() < 0.5).encode()
    except (ValueError, RecursionError):
        return data
    return b"\n".join(lines)


def replaced(value, random):
    """The value with one change at a random place within it."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value) if type(value) is list else 0))
    if not keys or random.random() < 0.1:
        return random.choice(WRONG)
    key, copy = random.choice(keys), value.copy()
    if random.random() < 0.1:
        del copy[key]
    else:
        copy[key] = replaced(copy[key], random)
    return copy


# Of a value in the JSON, by a seed; where to cut, as a share of the whole; bytes to put in.
CHANGES = st.lists(st.integers(0, 2**32) | st.floats(0, 1) | st.binary(max_size=6), max_size=3)


def changed(data, change):
    if isinstance(change, int):
        return mutate_json(data, Random(change))
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
