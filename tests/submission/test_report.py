"""Reading what is reported on: runs of ours and predictions of others, with clear errors."""

import pytest

from submission.files import SubmissionError
from submission.report import read_run
from system.files.journal import JournalError
from tests.helpers.report_factories import four_claims


@pytest.fixture
def run(tmp_path):
    return four_claims(tmp_path)[0]


def test_an_unfinished_run_says_how_to_finish_it(run):
    (run / "timings.json").unlink()
    with pytest.raises(SubmissionError, match="--resume"):
        read_run(run)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("journal.jsonl", '{"identity": {}}\n{"claim": 1}\n', "line 2"),
        ("timings.json", '{"run": {}}', "run.claims"),
        ("run.json", "[]", "expected a JSON object"),
        ("run.json", "{", "line 1"),
    ],
)
def test_a_damaged_file_is_named_with_its_place(run, name, text, message):
    (run / name).write_text(text, encoding="utf-8")
    with pytest.raises((SubmissionError, JournalError), match=f"{name}.*{message}"):
        read_run(run)


def test_a_missing_graph_is_empty_and_a_damaged_one_an_error(run):
    assert read_run(run).graph_of(7).nodes == ()
    (run / "graphs" / "0.json").write_text('{"thoughts": [{"id": 1}]}', encoding="utf-8")
    with pytest.raises(SubmissionError, match=r"0\.json.*delete this file .* check the claim again with --resume"):
        read_run(run).graph_of(0)
