"""Ev2R from the command line, with a judge behind an address."""

import json
from pathlib import Path

import pytest

from submission.__main__ import main
from submission.write import predictions, write_json
from system.graph.records import Label
from tests.helpers.local_site import Handler, serving
from tests.helpers.submission_factories import result
from tests.submission.ev2r.test_official_prompts import FILE


class Judge(Handler):
    def get(self) -> None:
        self.send({"data": [{"id": "judge", "max_model_len": 16384}]})

    def post(self) -> None:
        body = self.received()
        self.server.bodies.append(body)
        text = self.server.reply(body)
        usage = {"prompt_tokens": 1, "completion_tokens": 1}
        self.send({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})


def reply(body: dict) -> str:
    """Says of every claim that its questions are good, and of the first one that its evidence is."""
    asked = json.dumps(body["messages"])
    unit = "questions" if "predicted questions" in asked or "|" in asked else "evidence"
    right = 2 if unit == "questions" or "First." in asked else 1
    counts = {
        "facts count predicted": 1,
        "support predicted": 1,
        "facts count reference": 2,
        "support reference": right,
    }
    return json.dumps({f"{key} {unit}": value for key, value in counts.items()})


@pytest.fixture
def server():
    with serving(Judge, bodies=[], reply=reply) as server:
        yield server


@pytest.fixture
def arguments(server, tmp_path: Path) -> list[str]:
    write_json(predictions([result(0, "First."), result(1, "Second.", Label.REFUTED)]), tmp_path / "submission.json")
    questions = [{"question": "When was it?", "answers": [{"answer": "In 1932."}]}]
    gold = [
        {"claim": "First.", "label": "Supported", "questions": questions},
        {"claim": "Second.", "label": "Refuted", "questions": questions},
    ]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    files = ["--predictions", str(tmp_path / "submission.json"), "--gold", str(tmp_path / "gold.json")]
    judge = f"server:judge@http://127.0.0.1:{server.server_port}/v1"
    scores = str(tmp_path / "scores.json")
    return ["score", *files, "--metrics", "ev2r", "--judge", judge, "--json", scores]


def test_a_run_is_scored_and_a_second_one_asks_nothing(server, arguments, tmp_path: Path) -> None:
    assert main(arguments) == 0
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert scores["ev2r"]["units"]["evidence"]["recall"]["mean"] == 0.75
    assert scores["ev2r"]["units"]["questions"]["recall"]["mean"] == 1.0
    assert scores["ev2r"]["averitec"]["mean"] == 0.5
    assert scores["ev2r"]["mode"] == "strict"
    assert len(server.bodies) == 4
    assert main(arguments) == 0
    assert len(server.bodies) == 4
    assert len((tmp_path / "judgements.jsonl").read_text().splitlines()) == 4


def test_official_prompts_are_sent_free_of_schemas(server, arguments, tmp_path: Path) -> None:
    (tmp_path / "properties.py").write_text(FILE)
    extra = ["--official-prompts", str(tmp_path / "properties.py"), "--mode", "compatible"]
    assert main([*arguments, *extra, "--judgements", str(tmp_path / "kept" / "replies.jsonl")]) == 0
    assert not any("response_format" in body for body in server.bodies)
    prompts = sorted(body["messages"][0]["content"] for body in server.bodies)
    assert prompts[0] == "First.|When was it?|When did the bridge open?"
    assert (tmp_path / "kept" / "replies.jsonl").exists()


def test_unjudged_claims_are_named_and_not_counted_as_zero(server, arguments, tmp_path: Path, capsys) -> None:
    server.reply = lambda body: "I cannot say." if "Second." in json.dumps(body["messages"]) else reply(body)
    assert main(arguments) == 0
    scores = json.loads((tmp_path / "scores.json").read_text())["ev2r"]
    assert (scores["averitec"]["mean"], scores["units"]["evidence"]["claims"]) == (1.0, 1)
    assert [(one["claim_id"], one["unit"]) for one in scores["unjudged"]] == [(1, "evidence"), (1, "questions")]
    assert "1 of 2 claims could not be judged in full, not counted in the means" in capsys.readouterr().out
    assert len(server.bodies) == 6  # both comparisons of the claim were asked for twice


def test_without_a_judge_there_is_no_ev2r(arguments, capsys) -> None:
    judge = arguments.index("--judge")
    assert main(arguments[:judge] + arguments[judge + 2 :]) == 2
    assert "ev2r needs a judge; give one with --judge" in capsys.readouterr().err


def test_a_missing_server_is_one_clear_error(arguments, capsys) -> None:
    assert main([*arguments, "--judge", "server:judge@http://127.0.0.1:9/v1"]) == 2
    assert "no OpenAI-compatible server answers at http://127.0.0.1:9/v1" in capsys.readouterr().err
