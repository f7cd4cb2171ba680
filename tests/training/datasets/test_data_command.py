"""``python -m training data`` as its user meets it."""

import json

import pytest

from system.strategies.debate.tasks import CorrectVerdict, JustificationReply
from tests.helpers.annotated import RECORDS, write
from tests.helpers.bridge import Answers
from tests.helpers.scripted import ScriptedModel
from training.__main__ import main
from training.datasets import command

NAMES = (
    *("question_generation", "verdict_prediction", "question_answering"),
    *("moderator", "moderator_sft", "moderator_preferences"),
)
CHEAP = ("--sets", "question_generation", "verdict_prediction", "--partial", "1")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def make(tmp_path, output):
    """The command on claims to train on and one that is held out."""

    def run(*options, held_out="The windmill of Oldmarsh was sold to a baker."):
        records = [record | {"justification": f"Because {record['label']}."} for record in RECORDS]
        claims, aside = write(tmp_path / "train.json", records), write(tmp_path / "dev.json", [{"claim": held_out}])
        files = ["--claims", str(claims), "--held-out", str(aside), "--output", str(output)]
        return main(["data", *files, "--profile", "laptop", *options])

    return run


@pytest.fixture
def lines(output):
    return lambda name: [json.loads(line) for line in (output / f"{name}.jsonl").read_text().splitlines()]


@pytest.fixture
def card(output):
    return lambda name: json.loads((output / f"{name}.card.json").read_text())


def test_cheap_sets_need_no_model(make, lines, card, output, capsys):
    assert make(*CHEAP) == 0
    said = capsys.readouterr().out
    assert "no tokenizer: lengths are not checked" in said
    assert "question_generation: 10 samples of 4 claims" in said and "verdict_prediction: 7 samples of 4 claims" in said
    assert len(lines("verdict_prediction")) == card("verdict_prediction")["samples"] == 7
    assert not (output / "journals").exists()


def test_held_out_claims_and_others_are_left_out_and_the_rest_is_always_the_same(make, lines, card, output):
    options = {"held_out": "the old MILL in Aster burned down"}
    assert make(*CHEAP, "--limit", "3", **options) == 0
    assert {line["claim_id"] for line in lines("question_generation")} == {0, 2}
    assert card("question_generation")["leakage"]["claim repeats a held-out claim"] == 1
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    make(*CHEAP, "--limit", "3", **options)
    assert before == {path.name: path.read_bytes() for path in output.iterdir()}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--limit", "0"), "no claims left of 0; check --limit and --held-out"),
        (("--knowledge-store", "no/store"), "no/store not found; expected a folder with <claim id>.json"),
        (("--output", "pyproject.toml"), "File exists: 'pyproject.toml'; fix it and run the same command again"),
    ],
)
def test_names_what_is_wrong(make, capsys, options, complaint):
    assert make(*CHEAP, *options) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.slow
def test_makes_all_sets(make, lines, card, output, capsys, monkeypatch):
    answers = Answers()
    answers.replace[CorrectVerdict] = lambda request: JustificationReply(justification="The history says so.")
    monkeypatch.setattr(command, "load_model", lambda settings, encoder: ScriptedModel(answers))
    assert make() == 0
    assert "passages: fallback: the answers' own text" in capsys.readouterr().out
    assert {path.name for path in output.glob("*.jsonl")} == {f"{name}.jsonl" for name in NAMES}
    ends, correct = (
        [line["id"] for line in lines(name) if "-round-" not in line["id"]] for name in ("moderator", "moderator_sft")
    )
    assert sorted(ends) == [f"debate-{n}" for n in range(4)]
    assert len(correct) + len(lines("moderator_preferences")) == 4
    assert make("--sets", "moderator", "--rounds", "1") == 2  # other rounds are other debates: they are not mixed
    assert "cannot resume, because this is another run: debate.rounds was '3' and is '1'" in capsys.readouterr().err
    assert make("--sets", "moderator", "--rounds", "1", "--overwrite") == 0
    made = {"held by": "extractive", "strategy": "debatecv", "evidence": "gold"}
    assert card("moderator")["debates"] == made | {"rounds at most": 1}
