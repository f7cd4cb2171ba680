"""Store files that vanish in mid-run, and a clock that jumps: every claim ends with a row."""

import shutil
from pathlib import Path

import orjson
import pytest

from tests.helpers.processes import finish, journalled, wait_for, without_times

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
DAY = 86_400


def test_vanished_stores_fail_only_their_own_claims(start_scripted, tmp_path):
    output, claims = tmp_path / "output", ROOT / "system" / "examples" / "claims.json"
    stores = shutil.copytree(ROOT / "knowledge_store" / "examples", tmp_path / "stores")
    run = start_scripted(0.1, "--claims", claims, "--knowledge-store", stores)
    wait_for(lambda: journalled(output))
    shutil.rmtree(stores)
    finish(run, status=3)
    results = journalled(output)
    assert sorted(result.claim.id for result in results) == list(range(16))
    failed = orjson.loads((output / "run.json").read_bytes())["failed_claims"]
    assert 0 < len(failed) < 16 and 15 in failed
    messages = {result.claim.id: " ".join(failure.message for failure in result.failures) for result in results}
    assert all((number in failed) == ("missing file" in message) for number, message in messages.items())


def test_clock_jumps_do_not_change_results_or_durations(start_scripted, tmp_path):
    finish(start_scripted(0.0, output=tmp_path / "steady"))
    finish(start_scripted(0.0, environment={"JUMPING_CLOCK": "1"}))
    steady, jumping = journalled(tmp_path / "steady"), journalled(tmp_path / "output")
    assert without_times(jumping) == without_times(steady)
    facts = orjson.loads((tmp_path / "output" / "timings.json").read_bytes())["run"]["facts"]
    for seconds in (facts["run_seconds"], *(result.timing.seconds for result in jumping)):
        assert 0 <= seconds < DAY  # the jumps have many
    assert not any(result.timing.cut_short for result in jumping)
