"""Runs on the bundled claims that are killed at random moments; ``kills.py 100`` is the long form."""

import pytest
from kills import kill_and_resume

KILLS = 4


@pytest.mark.slow
def test_random_kills_lose_nothing_and_change_no_result(tmp_path):
    struck, laps = kill_and_resume(tmp_path, KILLS, seed=2)
    assert struck.total() == KILLS and laps >= 1
