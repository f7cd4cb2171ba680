"""Runs on the bundled claims that are killed at random moments, and at each step of keeping a claim.

``kills.py 100`` is the long form.
"""

import pytest

from tests.helpers.kills import STEPS, kill_and_resume, kill_at_and_resume, undisturbed

KILLS = 4
pytestmark = pytest.mark.slow


def test_random_kills_lose_nothing_and_change_no_result(tmp_path):
    struck, laps = kill_and_resume(tmp_path, KILLS, seed=2)
    assert struck.total() == KILLS and laps >= 1


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The results of a run without a kill."""
    return undisturbed(tmp_path_factory.mktemp("undisturbed"))[1]


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_between_claims_loses_nothing_at_any_step(tmp_path, expected, step):
    finished = kill_at_and_resume(tmp_path, step, 8, expected)
    assert 0 < finished < len(expected)
