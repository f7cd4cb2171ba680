"""Runs on the bundled claims that are killed at each step of keeping a claim."""

import pytest

from tests.helpers.kills import STEPS, kill_at_and_resume, undisturbed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return undisturbed(tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_loses_nothing_at_any_step(tmp_path, expected, step):
    finished = kill_at_and_resume(tmp_path, step, 8, expected)
    assert 0 < finished < len(expected)
