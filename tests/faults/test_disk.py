"""A disk that is full, or a file that cannot grow."""

import resource

import orjson
import pytest

from tests.helpers.processes import finish, journalled

pytestmark = pytest.mark.slow


def limit_files_to(size):
    """A function for a process's start, so that no file of its own grows beyond ``size`` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize(
    ("limit", "least"),
    [(40 * 1024, 1), (8 * 1024, 0)],  # bytes: the journal outgrows the first, a claim's graph the second
    ids=["the journal", "a graph"],
)
def test_a_full_disk_costs_no_finished_claim_and_the_run_resumes_later(start_scripted, tmp_path, limit, least):
    output = tmp_path / "output"
    _, errors = finish(start_scripted(0.0, "--top-k", "2", preexec_fn=limit_files_to(limit)), status=2)
    assert "cannot be written (File too large)" in errors and "then use --resume" in errors
    assert "Traceback" not in errors
    kept = journalled(output)
    assert least <= len(kept) < 16 and not (output / "submission.csv").exists()
    finish(start_scripted(0.0, "--top-k", "2", "--resume"))
    assert journalled(output)[: len(kept)] == kept
    assert [entry["claim_id"] for entry in orjson.loads((output / "submission.json").read_bytes())] == [*range(16)]
