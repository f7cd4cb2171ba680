"""``python -m training data`` as its user meets it."""

import json
import re
from pathlib import Path

import pytest

from system.models.scripted import ScriptedModel
from system.strategies.debate.tasks import CorrectVerdict, JustificationReply
from tests.helpers.bridge import Answers
from tests.helpers.training_claims import BRIDGE, GHOST, MILL, RECORDS, TOLLS, naming, write
from training.__main__ import main
from training.datasets import production

HELD_OUT = [{"claim": "The windmill of Oldmarsh was sold to a baker."}]
NAMES = (
    *("question_generation", "verdict_prediction", "question_answering"),
    *("moderator", "moderator_sft", "moderator_corrected"),
)


class Folder:
    """Claims to train on, claims held out, and the command."""

    def __init__(self, folder: Path) -> None:
        self.output = folder / "data"
        records = [record | {"justification": f"Because {record['label']}."} for record in naming(RECORDS)]
        self.claims, self.held_out = write(folder / "train.json", records), write(folder / "dev.json", HELD_OUT)

    def make(self, *options: str) -> int:
        files = ["--claims", str(self.claims), "--held-out", str(self.held_out), "--output", str(self.output)]
        return main(["data", *files, "--profile", "laptop", *options])

    def lines(self, name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.output / f"{name}.jsonl").read_text().splitlines()]

    def card(self, name: str) -> dict[str, object]:
        card: dict[str, object] = json.loads((self.output / f"{name}.card.json").read_text())
        return card


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


CHEAP = ("--sets", "question_generation", "verdict_prediction")


def test_cheap_sets_need_no_model(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.make(*CHEAP) == 0
    said = capsys.readouterr().out
    assert "no tokenizer: lengths are not checked" in said
    assert "question_generation: 10 samples of 4 claims" in said and "verdict_prediction: 7 samples of 4 claims" in said
    assert len(folder.lines("verdict_prediction")) == folder.card("verdict_prediction")["samples"] == 7
    assert not (folder.output / "journals").exists()


def test_the_same_command_makes_the_same_files(folder: Folder) -> None:
    folder.make(*CHEAP)
    before = {path.name: path.read_bytes() for path in folder.output.iterdir()}
    folder.make(*CHEAP)
    assert before == {path.name: path.read_bytes() for path in folder.output.iterdir()}


def test_leaves_out_and_counts_held_out_claims(folder: Folder) -> None:
    write(folder.held_out, [{"claim": "the old MILL in Aster burned down"}])
    assert folder.make(*CHEAP) == 0
    assert {line["claim_id"] for line in folder.lines("question_generation")} == {0, 2, 3}
    leakage = folder.card("question_generation")["leakage"]
    assert isinstance(leakage, dict) and leakage["claim repeats a held-out claim"] == 1


def test_a_subset_keeps_the_ids(folder: Folder) -> None:
    assert folder.make(*CHEAP, "--start", "1", "--limit", "2") == 0
    assert {line["claim_id"] for line in folder.lines("question_generation")} == {1, 2}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (json.dumps(RECORDS)[:-40], r"train\.json: line 1, column \d+: expected a JSON array"),
        ('{"a": 1}', r"train\.json: expected an array of claims, got an object with 'a'"),
        (json.dumps([{"claim": "A claim."}]), r"train\.json: claim 0: label: expected 'Supported'"),
        (json.dumps([BRIDGE, MILL | {"label": "True"}]), r"train\.json: claim 1: label: expected 'Supported'.*'True'"),
    ],
)
def test_truncated_and_foreign_claims_end_with_a_message(
    folder: Folder, capsys: pytest.CaptureFixture[str], content: str, complaint: str
) -> None:
    folder.claims.write_text(content)
    assert folder.make(*CHEAP) == 2
    error = capsys.readouterr().err
    assert re.search(complaint, error), error
    assert not folder.output.exists()


def test_no_remaining_claims_is_an_error(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder.held_out, [BRIDGE, MILL, TOLLS, GHOST])
    assert folder.make(*CHEAP) == 2
    assert "no claims left of 4; check --start, --limit and --held-out" in capsys.readouterr().err


def test_rejects_a_missing_store(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.make("--knowledge-store", str(folder.output / "store")) == 2
    assert "store not found; expected a folder with <claim id>.json" in capsys.readouterr().err


def test_names_an_output_that_cannot_be_written(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.output.write_text("a file")
    assert folder.make(*CHEAP) == 2
    assert f"{folder.output}: File exists" in capsys.readouterr().err


def test_held_out_claims_are_required(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["data", "--claims", str(folder.claims)])
    assert "required: --held-out" in capsys.readouterr().err


def test_a_threshold_beyond_one_is_an_error(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        folder.make("--threshold", "50")
    assert "--threshold: expected a number from 0 to 1, got 50" in capsys.readouterr().err


@pytest.mark.slow
def test_makes_all_sets(folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers()
    answers.replace[CorrectVerdict] = lambda request: JustificationReply(justification="The history says so.")
    monkeypatch.setattr(production, "load_model", lambda settings, encoder: ScriptedModel(answers))
    assert folder.make("--scorer", "bi-encoder") == 0
    said = capsys.readouterr().out
    assert "passages: fallback: the answers' own text" in said
    assert {path.name for path in folder.output.glob("*.jsonl")} == {
        *(f"{name}.jsonl" for name in (*NAMES, "labels", "moderator_preferences")),
        "debates.jsonl",
    }
    correct, pairs = folder.lines("moderator_sft"), folder.lines("moderator_preferences")
    ends = [str(line["id"]) for line in folder.lines("moderator") if "-round-" not in str(line["id"])]
    assert sorted(ends) == [f"debate-{n}" for n in range(4)]
    correct = [line for line in correct if "-round-" not in str(line["id"])]
    assert len(correct) + len(pairs) == len(folder.lines("debates")) == 4
    # Other rounds are other debates: they are not mixed, and the other sets stay.
    assert folder.make("--sets", "moderator", "--rounds", "1") == 2
    assert "cannot resume, because this is another run: debate.rounds was '3' and is '1'" in capsys.readouterr().err
    assert folder.make("--sets", "moderator", "--rounds", "1", "--overwrite") == 0
    made = {"held by": "extractive", "strategy": "got", "evidence": "retrieved", "stores": "small"}
    assert folder.card("moderator")["debates"] == made | {"rounds at most": 1}
