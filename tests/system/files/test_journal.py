import errno
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from system.files.journal import Journal, JournalError
from system.graph.records import Cost, Timing
from tests.helpers.submission_factories import qa, result

IDENTITY = {"graph.depth": "3", "claims": "2 claims, sha256 ab"}


def write(path, *results, resume=False):
    with Journal(path, IDENTITY, resume) as journal:
        for item in results:
            journal.append(item)


def read(path):
    with Journal(path, IDENTITY, resume=True) as journal:
        return journal.finished


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_resumes_a_journal_cut_at_any_byte(tmp_path, data):
    path = tmp_path / "journal.jsonl"
    results = [result(i, pairs=[qa(text="नमस्ते\u2028\n“1933”")], failures=["ask"]) for i in range(3)]
    write(path, *results)
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    kept = max(0, whole[:cut].count(b"\n") - 1)
    assert read(path) == results[:kept]
    write(path, result(9), resume=True)  # and goes on cleanly
    assert read(path) == [*results[:kept], result(9)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(), number=st.floats(allow_nan=False, allow_infinity=False), count=st.integers(0, 2**53 - 1))
def test_records_survive_a_round_trip(tmp_path, text, number, count):
    path = tmp_path / "journal.jsonl"
    timing = Timing(
        seconds=number, stages={text: number}, cost=Cost(tokens_in=count), rounds=count, branches=2, cut_short=True
    )
    any_result = result(pairs=[qa(text=text)]).model_copy(update={"timing": timing, "flaws": {text: count}})
    write(path, any_result)
    assert read(path) == [any_result]


def test_names_a_damaged_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    write(path, result(0), result(1))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{garbage}\n" + lines[2])
    with pytest.raises(JournalError, match=r"journal.jsonl, line 2: expected a finished piece of work; .* valid JSON"):
        read(path)
    path.write_bytes(b"not json\n")
    with pytest.raises(JournalError, match="line 1"):
        read(path)


def test_a_run_that_failed_before_its_first_record_does_not_hinder_another(tmp_path):
    path = tmp_path / "journal.jsonl"
    write(path)
    with Journal(path, {**IDENTITY, "claims": "others"}, resume=True) as journal:
        journal.append(result(0))
    with pytest.raises(JournalError, match="another run"):
        read(path)


def test_a_full_disk_leaves_no_partial_line(tmp_path, monkeypatch):
    path = tmp_path / "journal.jsonl"
    with Journal(path, IDENTITY, resume=False) as journal:
        journal.append(result(0))

        def full(_):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space"):
                journal.append(result(1))
        journal.append(result(2))
    assert read(path) == [result(0), result(2)]
