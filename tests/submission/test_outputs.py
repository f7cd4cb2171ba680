import json
from pathlib import Path

import pytest
from submission_factories import qa, result

import submission.outputs
from submission.files import SubmissionError
from submission.outputs import RunFacts, print_summary, write_outputs
from submission.predictions import predictions, read_json
from submission.scorer import read_table
from system.records import Cost, Label

FACTS = RunFacts(budget_seconds=10.0, run_seconds=90.0, model_load_seconds=12.5, peak_memory_gib=3.5)
COST = Cost(calls=4, tokens_in=100, tokens_cached=30, tokens_out=20)
RESULTS = [
    result(11, "First.", Label.SUPPORTED, seconds=4.0, cost=COST, failures=["merge"]),
    result(12, "Second.", Label.REFUTED, pairs=[], seconds=20.0, cut_short=True),
    result(
        10, "Third.", Label.REFUTED, pairs=[qa(f"q{n}?") for n in range(12)], seconds=6.0, failures=["ask", "merge"]
    ),
]


def test_all_files_are_written_with_a_row_for_every_claim_in_order(tmp_path: Path) -> None:
    written = write_outputs(RESULTS, tmp_path / "output", FACTS)
    names = {path.name for path in (tmp_path / "output").iterdir()}
    assert names == {"submission.json", "submission.csv", "timings.json", "timings.csv"}
    assert {path.name for _, path in written} == names
    assert [entry.claim_id for entry in read_json(written.submission_json)] == [11, 12, 10]
    assert [row.claim for row in read_table(written.submission_csv).rows] == ["First.", "Second.", "Third."]
    assert len(json.loads(written.timings_json.read_text())["claims"]) == 3
    assert len(written.timings_csv.read_text().splitlines()) == 4


def test_no_results_and_two_results_of_a_claim_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="no results"):
        write_outputs([], tmp_path, FACTS)
    with pytest.raises(SubmissionError, match="claim 5 has 2 results"):
        write_outputs([result(4), result(5), result(5)], tmp_path, FACTS)
    assert list(tmp_path.iterdir()) == []


def test_a_submission_that_reads_back_otherwise_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission.outputs, "read_json", lambda path: predictions(RESULTS[:2]))
    with pytest.raises(SubmissionError, match=r"submission\.json: what was read back is not what was written"):
        write_outputs(RESULTS, tmp_path, FACTS)


def test_a_csv_with_faults_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_bad(entries: object, path: Path) -> None:
        path.write_text("id,claim,evi,label,split\n0,First.,,Supported,pred\n")

    monkeypatch.setattr(submission.outputs, "write_csv", write_bad)
    with pytest.raises(SubmissionError, match="ids 1 to 2 are missing"):
        write_outputs(RESULTS, tmp_path, FACTS)


def test_the_summary_shows_the_run_on_one_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = write_outputs(RESULTS, tmp_path, FACTS)
    print_summary(RESULTS, FACTS, written)
    out = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for expected in (
        "3 claims",
        "Supported 1, Refuted 2, Not Enough Evidence 0, Conflicting Evidence/Cherrypicking 0",
        "mean 10.00, p50 6.00, p95 18.60, max 20.00",
        "10 s; over it 33.3% of the claims, cut short 1",
        "within the one-minute rule",
        "rank 0.50 s",
        "ask 1, merge 2",
        "in 100 (30 cached), out 20",
        "90.0 s, and before it 12.5 s loading models",
        "3.50 GiB",
    ):
        assert expected in out
    assert all(str(path) in out for _, path in written)
