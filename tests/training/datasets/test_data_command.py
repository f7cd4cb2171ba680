"""``python -m training data`` as its user meets it."""

import json
from pathlib import Path
from typing import Any

import pytest

from system.models.scripted import ScriptedModel
from system.strategies.debate.tasks import CorrectVerdict, JustificationReply
from tests.helpers.bridge import Answers
from tests.helpers.training_claims import RECORDS, naming, write
from training.__main__ import main
from training.datasets import command

HELD_OUT = [{"claim": "The windmill of Oldmarsh was sold to a baker."}]
NAMES = (
    *("question_generation", "verdict_prediction", "question_answering"),
    *("moderator", "moderator_sft", "moderator_preferences"),
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

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.output / f"{name}.jsonl").read_text().splitlines()]

    def card(self, name: str) -> dict[str, Any]:
        return json.loads((self.output / f"{name}.card.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


CHEAP = ("--sets", "question_generation", "verdict_prediction", "--partial", "1")


def test_cheap_sets_need_no_model(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.make(*CHEAP) == 0
    said = capsys.readouterr().out
    assert "no tokenizer: lengths are not checked" in said
    assert "question_generation: 10 samples of 4 claims" in said and "verdict_prediction: 7 samples of 4 claims" in said
    assert len(folder.lines("verdict_prediction")) == folder.card("verdict_prediction")["samples"] == 7
    assert not (folder.output / "journals").exists()


def test_held_out_claims_and_others_are_left_out_and_the_rest_is_always_the_same(folder: Folder) -> None:
    write(folder.held_out, [{"claim": "the old MILL in Aster burned down"}])
    assert folder.make(*CHEAP, "--limit", "3") == 0
    assert {line["claim_id"] for line in folder.lines("question_generation")} == {0, 2}
    assert folder.card("question_generation")["leakage"]["claim repeats a held-out claim"] == 1
    before = {path.name: path.read_bytes() for path in folder.output.iterdir()}
    folder.make(*CHEAP, "--limit", "3")
    assert before == {path.name: path.read_bytes() for path in folder.output.iterdir()}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--limit", "0"), "no claims left of 0; check --limit and --held-out"),
        (("--knowledge-store", "no/store"), "no/store not found; expected a folder with <claim id>.json"),
        (("--output", "pyproject.toml"), "File exists: 'pyproject.toml'; fix it and run the same command again"),
    ],
)
def test_names_what_is_wrong(
    folder: Folder, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], complaint: str
) -> None:
    assert folder.make(*CHEAP, *options) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.slow
def test_makes_all_sets(folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers()
    answers.replace[CorrectVerdict] = lambda request: JustificationReply(justification="The history says so.")
    monkeypatch.setattr(command, "load_model", lambda settings, encoder: ScriptedModel(answers))
    assert folder.make() == 0
    said = capsys.readouterr().out
    assert "passages: fallback: the answers' own text" in said
    assert {path.name for path in folder.output.glob("*.jsonl")} == {f"{name}.jsonl" for name in NAMES}
    ends, correct = (
        [line["id"] for line in folder.lines(name) if "-round-" not in line["id"]]
        for name in ("moderator", "moderator_sft")
    )
    assert sorted(ends) == [f"debate-{n}" for n in range(4)]
    assert len(correct) + len(folder.lines("moderator_preferences")) == 4
    # Other rounds are other debates: they are not mixed, and the other sets stay.
    assert folder.make("--sets", "moderator", "--rounds", "1") == 2
    assert "cannot resume, because this is another run: debate.rounds was '3' and is '1'" in capsys.readouterr().err
    assert folder.make("--sets", "moderator", "--rounds", "1", "--overwrite") == 0
    made = {"held by": "extractive", "strategy": "debatecv", "evidence": "gold"}
    assert folder.card("moderator")["debates"] == made | {"rounds at most": 1}
