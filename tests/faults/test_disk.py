"""Disks that are full or closed, and two runs that want the same folder."""

import resource
import subprocess

import orjson
import pytest

from tests.helpers.processes import finish, journalled, wait_for, without_times

LIMIT = 40 * 1024  # bytes: more than a graph of two passages a question has, less than the journal would
pytestmark = pytest.mark.slow


def limit_files_to(size):
    """A function for a process's start, so that no file of its own grows beyond ``size`` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 200 KiB; mounting one is left to those who may."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["umount", place], check=True)


def assert_whole(output, claims=16):
    assert [entry["claim_id"] for entry in orjson.loads((output / "submission.json").read_bytes())] == [*range(claims)]


def test_a_full_journal_keeps_its_lines_and_resumes_later(start_scripted, tmp_path):
    output = tmp_path / "output"
    _, errors = finish(start_scripted(0.0, "--top-k", "2", preexec_fn=limit_files_to(LIMIT)), status=2)
    assert "cannot be written (File too large)" in errors and "then use --resume" in errors
    assert "Traceback" not in errors
    kept = journalled(output)
    assert 0 < len(kept) < 16
    finish(start_scripted(0.0, "--top-k", "2", "--resume"))
    assert journalled(output)[: len(kept)] == kept
    assert_whole(output)


def test_a_run_on_a_full_disk_resumes_elsewhere(start_scripted, small_disk, tmp_path):
    output = small_disk / "output"
    _, errors = finish(start_scripted(0.0, output=output), status=2)
    assert "No space left on device" in errors and "Traceback" not in errors
    kept = journalled(output)
    assert kept and not (output / "submission.csv").exists()
    subprocess.run(["mount", "-o", "remount,size=4m", small_disk], check=True)
    finish(start_scripted(0.0, "--resume", output=output))
    assert without_times(journalled(output)[: len(kept)]) == without_times(kept)
    assert_whole(output)


def test_an_output_folder_that_cannot_be_made_is_an_error(start_scripted, tmp_path):
    (tmp_path / "file").write_text("no folder")
    _, errors = finish(start_scripted(0.0, output=tmp_path / "file" / "output"), status=2)
    assert "Not a directory" in errors and "Traceback" not in errors


def test_rejects_a_second_run_in_a_folder_without_harm(start_scripted, tmp_path):
    output = tmp_path / "output"
    hold = tmp_path / "hold"
    hold.touch()
    first = start_scripted(0.0, environment={"HOLD": str(hold)})
    wait_for((output / "journal.jsonl").exists)
    for option in ("--overwrite", "--resume"):
        _, errors = finish(start_scripted(0.0, option), status=2)
        assert "another run is writing here" in errors
    hold.unlink()
    finish(first)
    assert_whole(output)
    assert len(journalled(output)) == 16
