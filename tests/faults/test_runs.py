"""Runs on the bundled claims among faults of the disk, the stores, the clock and the model server, and Ctrl-C."""

import csv
import resource
import shutil
import signal

import orjson
import pytest

from system.app.commands.common import EXIT_INTERRUPTED
from tests.helpers.processes import ROOT, finish, journalled, start_python, start_scripted, wait_for, without_times

pytestmark = pytest.mark.slow
DAY = 86_400

GOOD = 13  # requests answered before the fault: a claim makes 9, so the fault strikes the second of three
SMALL = ["--profile", "server", "--model", "base", "--limit", "3", "--branches", "1", "--depth", "1"]
STRICT = ["--timeout", "4", "--budget", "600", "--max-concurrent-claims", "1"]
FAULTS = {
    "dies": "ModelUnavailable: cannot reach the server at",
    "hangs": "no reply within",
    "garbage": "expected a chat completion",
    "500": "status 500: CUDA error: out of memory",
}


@pytest.mark.parametrize(
    ("limit", "least"),
    [(40 * 1024, 1), (8 * 1024, 0)],  # bytes: the journal outgrows the first, a claim's graph the second
    ids=["the journal", "a graph"],
)
def test_a_full_disk_costs_no_finished_claim_and_the_run_resumes_later(tmp_path, limit, least):
    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    _, errors = finish(start_scripted(0.0, tmp_path, "--top-k", "2", preexec_fn=limit_files), status=2)
    assert "cannot be written (File too large)" in errors and "then use --resume" in errors
    assert "Traceback" not in errors
    kept = journalled(tmp_path)
    assert least <= len(kept) < 16 and not (tmp_path / "submission.csv").exists()
    finish(start_scripted(0.0, tmp_path, "--top-k", "2", "--resume"))
    assert journalled(tmp_path)[: len(kept)] == kept
    assert [entry["claim_id"] for entry in orjson.loads((tmp_path / "submission.json").read_bytes())] == [*range(16)]


def test_vanished_stores_fail_only_their_own_claims(tmp_path):
    output, claims = tmp_path / "output", ROOT / "system" / "examples" / "claims.json"
    stores = shutil.copytree(ROOT / "knowledge_store" / "examples", tmp_path / "stores")
    run = start_scripted(0.1, output, "--claims", claims, "--knowledge-store", stores)
    wait_for(lambda: journalled(output))
    shutil.rmtree(stores)
    finish(run, status=3)
    results = journalled(output)
    assert sorted(result.claim.id for result in results) == list(range(16))
    failed = orjson.loads((output / "run.json").read_bytes())["failed_claims"]
    assert 0 < len(failed) < 16 and 15 in failed
    messages = {result.claim.id: " ".join(failure.message for failure in result.failures) for result in results}
    assert all((number in failed) == ("missing file" in message) for number, message in messages.items())


def test_clock_jumps_do_not_change_results_or_durations(tmp_path):
    finish(start_scripted(0.0, tmp_path / "steady"))
    finish(start_scripted(0.0, tmp_path / "jumping", environment={"JUMPING_CLOCK": "1"}))
    steady, jumping = journalled(tmp_path / "steady"), journalled(tmp_path / "jumping")
    assert without_times(jumping) == without_times(steady)
    facts = orjson.loads((tmp_path / "jumping" / "timings.json").read_bytes())["run"]["facts"]
    for seconds in (facts["run_seconds"], *(result.timing.seconds for result in jumping)):
        assert 0 <= seconds < DAY  # the jumps have many
    assert not any(result.timing.cut_short for result in jumping)


def test_ctrl_c_stops_at_once_and_keeps_what_is_done(tmp_path):
    run = start_scripted(0.2, tmp_path)
    wait_for(lambda: journalled(tmp_path))
    run.send_signal(signal.SIGINT)
    _, errors = finish(run, status=EXIT_INTERRUPTED)
    done = journalled(tmp_path)
    assert done and f"stopped with {len(done)} of 16 claims done; resume with --resume" in errors
    assert not any(word in errors for word in ("WorkFailed", "leaked", "Traceback"))
    finish(start_scripted(0.0, tmp_path, "--resume"))
    assert journalled(tmp_path)[: len(done)] == done


@pytest.mark.parametrize("mode", FAULTS)
def test_a_failing_server_costs_the_unanswered_claims_alone(mode, tmp_path):
    server = start_python("-m", "tests.helpers.faulty_server", mode, GOOD)
    try:
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        run = start_python("-m", "system", *SMALL, *STRICT, "--address", address, "--output", tmp_path / "output")
        finish(run, status=3)
    finally:
        server.kill()
        server.communicate()
    results = sorted(journalled(tmp_path / "output"), key=lambda result: result.claim.id)
    assert [result.claim.id for result in results] == [0, 1, 2]
    assert [bool(result.failures) for result in results] == [False, True, True]
    assert any(FAULTS[mode] in failure.message for failure in results[-1].failures)
    run_report = orjson.loads((tmp_path / "output" / "run.json").read_bytes())
    timings = orjson.loads((tmp_path / "output" / "timings.json").read_bytes())["run"]
    assert results[-1].claim.id in run_report["failed_claims"]
    assert sum(timings["failures"].values()) == sum(len(result.failures) for result in results)
    with (tmp_path / "output" / "submission.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 3
