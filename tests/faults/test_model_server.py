"""A model server that dies, hangs or answers nonsense in mid-run: every claim ends with a row and the report counts."""

import csv
from pathlib import Path

import orjson
import pytest
from processes import finish, journalled, start_python

HERE = Path(__file__).parent
PATHS = (HERE.parents[1], HERE)
GOOD = 60  # requests that are answered before the fault: some claims of the ten
SMALL = ["--profile", "server", "--model", "base", "--limit", "10", "--branches", "1", "--depth", "1"]
STRICT = ["--timeout", "0.5", "--budget", "20", "--attempts", "1", "--in-flight", "1"]
FAULTS = {
    "dies": "ModelUnavailable: the server at",
    "hangs": "no reply within",
    "garbage": "expected a chat completion",
    "500": "status 500: CUDA error: out of memory",
}
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mode", FAULTS)
def test_a_server_that_fails_costs_the_claims_it_did_not_answer(mode, tmp_path):
    server = start_python(HERE / "faulty_server.py", mode, GOOD, paths=PATHS)
    try:
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        run = start_python(
            "-m", "factgraph", *SMALL, *STRICT, "--address", address, "--output", tmp_path / "output", paths=PATHS
        )
        finish(run, status=3)
    finally:
        server.kill()
        server.communicate()
    results = journalled(tmp_path / "output")
    assert sorted(result.claim.id for result in results) == list(range(10))
    good = [result for result in results if not result.failures]
    bad = [result for result in results if result.failures]
    assert good and bad
    assert any(FAULTS[mode] in failure.message for failure in bad[-1].failures)
    run_report = orjson.loads((tmp_path / "output" / "run.json").read_bytes())
    timings = orjson.loads((tmp_path / "output" / "timings.json").read_bytes())["run"]
    assert bad[-1].claim.id in run_report["failed_claims"]
    assert sum(timings["failures"].values()) == sum(len(result.failures) for result in results)
    with (tmp_path / "output" / "submission.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 10
