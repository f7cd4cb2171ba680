"""The scripts that score, on small data, in a checkout whose environment is this one."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from processes import PATIENCE
from submission_factories import result

from submission.write import predictions, write_csv
from system.records import Label

ROOT = Path(__file__).resolve().parents[2]

# In the form of the organizers' file: what the script calls, with a score that tells what it was given.
OFFICIAL = """
def download_nltk_data(package, download_dir):
    print("wants", package)

class AVeriTeCEvaluator:
    def evaluate_questions_only(self, predicted, gold):
        return sum(predicted["claim"] == gold["claim"]) / len(gold), []

    def evaluate_questions_and_answers(self, predicted, gold):
        return sum(gold["id"] == list(range(len(gold)))) / len(gold), []

    def evaluate_averitec_score(self, predicted, gold):
        return [sum(predicted["label"] == gold["label"]) / len(gold)], []
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts and packages, with nothing to set up."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "scripts" / "setup.sh").write_text("#!/bin/sh\n")
    shutil.copy2(ROOT / "run.sh", root)
    for name in ("system", "knowledge_store", "submission", ".venv"):
        (root / name).symlink_to(ROOT / name)
    return root


def _run(checkout: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(checkout / "scripts" / command[0]), *command[1:]],
        env={**os.environ, **environment},
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_names_missing_data(checkout: Path) -> None:
    done = _run(checkout, "score_dev.sh", CLAIMS="none.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no none.json; put AVeriTeC's dev.json there, or set CLAIMS" in done.stderr


@pytest.mark.slow
def test_one_command_runs_validates_scores_and_reports(checkout: Path, tmp_path: Path, wordnet_folder: Path) -> None:
    claims = json.loads((ROOT / "system" / "examples" / "claims.json").read_text())
    answers = [{"answer": "In 1932.", "answer_type": "Extractive"}]
    gold = {"label": "Refuted", "questions": [{"question": "When did it open?", "answers": answers}]}
    (tmp_path / "dev.json").write_text(json.dumps([{**claim, **gold} for claim in claims]))
    places = {"CLAIMS": str(tmp_path / "dev.json"), "STORE": str(ROOT / "knowledge_store" / "examples")}
    done = _run(checkout, "score_dev.sh", "--limit", "2", OUTPUT=str(tmp_path / "out"), **places)
    assert done.returncode == 0, done.stdout + done.stderr
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"submission.json", "submission.csv", "timings.json", "scores.json", "report.html"} <= written
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert scores["labels"]["claims"] == scores["legacy"]["overall"]["claims"] == 2
    assert scores["ev2r"] is None and scores["ev2r_lexical"]["units"]["evidence"]["claims"] == 2
    assert "ids 2 to 15 are missing" in done.stdout


@pytest.fixture
def official(tmp_path: Path) -> Path:
    """The organizers' repository as if it had been fetched, and an environment for it."""
    folder = tmp_path / "official"
    (folder / "repository").mkdir(parents=True)
    (folder / "repository" / "averitec_evaluate.py").write_text(OFFICIAL)
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / ".installed").touch()
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {ROOT}/.venv/bin/python "$@"\n')
    python.chmod(0o755)
    return folder


@pytest.mark.slow
def test_both_scorers_are_run_on_the_same_files(
    checkout: Path, official: Path, tmp_path: Path, wordnet_folder: Path
) -> None:
    write_csv(predictions([result(0), result(1, label=Label.REFUTED)]), tmp_path / "submission.csv")
    gold = (tmp_path / "submission.csv").read_text().replace(",pred", ",gold").replace("Refuted", "Supported")
    (tmp_path / "gold.csv").write_text(gold)
    files = (str(tmp_path / "submission.csv"), str(tmp_path / "gold.csv"))
    done = _run(checkout, "official_score.sh", *files, OFFICIAL=str(official))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = re.findall(r"Q METEOR [\d.]+, Q\+A METEOR [\d.]+, legacy AVeriTeC @0.25 [\d.]+", done.stdout)
    assert lines[0] == "Q METEOR 1.000000, Q+A METEOR 1.000000, legacy AVeriTeC @0.25 0.500000"
    assert lines[1].endswith("@0.25 0.500000") and "wants punkt_tab" in done.stdout


def test_names_a_repository_that_cannot_be_fetched(checkout: Path, tmp_path: Path) -> None:
    places = {"OFFICIAL": str(tmp_path / "official"), "OFFICIAL_REPOSITORY": str(tmp_path / "none")}
    done = _run(checkout, "official_score.sh", "submission.csv", **places)
    assert done.returncode == 1
    assert f"{tmp_path}/none cannot be fetched; clone it elsewhere" in done.stderr
