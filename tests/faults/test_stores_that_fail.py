"""Store files that vanish, cannot be read, or hang, and a clock that jumps: every claim ends with a row."""

import os
import shutil
from pathlib import Path

import orjson
import pytest

from tests.helpers.processes import finish, journalled, wait_for, without_times

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
DAY = 86_400


@pytest.fixture
def inputs(tmp_path):
    """Copies of the bundled claims and stores; returns (the arguments that name them, the stores)."""
    stores = tmp_path / "stores"
    shutil.copytree(ROOT / "knowledge_store" / "examples", stores)
    claims = shutil.copy(ROOT / "system" / "examples" / "claims.json", tmp_path)
    return ("--claims", claims, "--knowledge-store", stores), stores


def failed_claims(output):
    return orjson.loads((output / "run.json").read_bytes())["failed_claims"]


def message(result):
    return " ".join(failure.message for failure in result.failures)


def test_unreadable_stores_fail_their_claims_and_are_counted(start_scripted, inputs, tmp_path):
    arguments, stores = inputs
    for number in (2, 3):
        (stores / f"{number}.json").unlink()
    (stores / "2.json").mkdir()
    (stores / "3.json").symlink_to("3.json")  # a circle
    finish(start_scripted(0.0, *arguments), status=3)
    results = {result.claim.id: result for result in journalled(tmp_path / "output")}
    assert sorted(results) == list(range(16))
    assert failed_claims(tmp_path / "output") == [2, 3]
    assert "2.json: " in message(results[2]) and "3.json: " in message(results[3])
    timings = orjson.loads((tmp_path / "output" / "timings.json").read_bytes())
    assert timings["run"]["failures"]["read"] == 2


def test_abandons_a_hanging_store_after_the_budget(start_scripted, inputs, tmp_path):
    arguments, stores = inputs
    (stores / "4.json").unlink()
    os.mkfifo(stores / "4.json")  # opening it never returns
    finish(start_scripted(0.0, *arguments, "--start", "4", "--limit", "1", "--budget", "5"), status=3)
    assert failed_claims(tmp_path / "output") == [4]
    (result,) = journalled(tmp_path / "output")
    assert "4.json: took over 5 s" in message(result)


def test_vanished_stores_fail_only_their_own_claims(start_scripted, inputs, tmp_path):
    arguments, stores = inputs
    run = start_scripted(0.1, *arguments)
    wait_for(lambda: journalled(tmp_path / "output"))
    shutil.rmtree(stores)
    finish(run, status=3)
    results = journalled(tmp_path / "output")
    assert sorted(result.claim.id for result in results) == list(range(16))
    failed = failed_claims(tmp_path / "output")
    assert 0 < len(failed) < 16 and 15 in failed
    assert all((result.claim.id in failed) == ("missing file" in message(result)) for result in results)


def test_clock_jumps_do_not_change_results_or_durations(start_scripted, tmp_path):
    finish(start_scripted(0.0, output=tmp_path / "steady"))
    finish(start_scripted(0.0, environment={"JUMPING_CLOCK": "1"}))
    steady, jumping = journalled(tmp_path / "steady"), journalled(tmp_path / "output")
    assert without_times(jumping) == without_times(steady)
    facts = orjson.loads((tmp_path / "output" / "timings.json").read_bytes())["run"]["facts"]
    for seconds in (facts["run_seconds"], *(result.timing.seconds for result in jumping)):
        assert 0 <= seconds < DAY  # the jumps have many
    assert not any(result.timing.cut_short for result in jumping)
