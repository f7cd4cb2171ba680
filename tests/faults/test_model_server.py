"""A model server that dies, hangs or answers nonsense in mid-run: every claim ends with a row and the report counts."""

import csv

import orjson
import pytest

from tests.helpers.processes import finish, journalled, start_python

GOOD = 20  # requests answered before the fault: a claim makes 13, so the fault strikes the second of three
SMALL = ["--profile", "server", "--model", "base", "--limit", "3", "--branches", "1", "--depth", "1"]
STRICT = ["--timeout", "4", "--budget", "600", "--max-concurrent-claims", "1"]
FAULTS = {
    "dies": "ModelUnavailable: cannot reach the server at",
    "hangs": "no reply within",
    "garbage": "expected a chat completion",
    "500": "status 500: CUDA error: out of memory",
}
pytestmark = pytest.mark.slow


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
