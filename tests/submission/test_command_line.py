import json
from pathlib import Path

import pytest

from submission.__main__ import main
from submission.write import predictions, write_csv, write_json
from system.graph.records import Label
from tests.helpers.submission_factories import result

RESULTS = [result(0, "First.", Label.SUPPORTED), result(1, "Second.", Label.REFUTED)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_csv(predictions(RESULTS), tmp_path / "submission.csv")
    write_json(predictions(RESULTS), tmp_path / "submission.json")
    gold = [{"claim": "First.", "label": "Supported"}, {"claim": "Second.", "label": "Supported"}]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    return tmp_path


@pytest.mark.parametrize("name", ["submission.csv", "submission.json"])
def test_what_we_write_has_no_faults(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(folder / name), "--claims", str(folder / "gold.json")]) == 0
    assert capsys.readouterr().out == f"{folder / name}: no faults\n"


@pytest.mark.parametrize(
    ("old", "new", "status", "message"),
    [
        ("Refuted", "refuted", 1, "gives wrong scores without an error: row 1 (line 6): the label 'refuted'"),
        ("In 1932.", "", 0, "2 harmless"),
    ],
)
def test_faults_are_named_and_only_harmful_ones_fail(folder, old, new, status, message, capsys):
    path = folder / "submission.csv"
    path.write_text(path.read_text().replace(old, new), newline="")
    assert main(["validate", str(path)]) == status
    assert message in capsys.readouterr().out


def test_input_that_cannot_be_used_gives_exit_status_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(folder / "none.csv")]) == 2
    assert main(["score", "--predictions", str(folder / "submission.csv"), "--gold", str(folder / "none.json")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("error: ") == 2 and "none.json" in captured.err


def test_scores_are_printed_and_saved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--predictions", str(folder / "submission.json"), "--gold", str(folder / "gold.json")]
    assert main(["score", *files, "--json", str(folder / "scores" / "labels.json")]) == 0
    assert "accuracy" in capsys.readouterr().out
    assert json.loads((folder / "scores" / "labels.json").read_text())["labels"]["accuracy"] == 0.5
