"""How beliefs moved and how speakers persuaded, from the graphs of runs."""

import json

import pytest

from system.graph.graph import Graph
from system.graph.records import Label
from system.graph.thoughts import Speaker
from system.strategies.consultancy.beliefs import main
from system.strategies.consultancy.records import Belief, Persuasion, Ratings
from tests.helpers.submission_factories import result

NURSE = "A nurse of 68."
LABELS = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)


def rated(speaker, side, **levels):
    ratings = Ratings(**dict.fromkeys(Ratings.model_fields, 0) | levels)
    return Persuasion(speaker=speaker, side=side, round=1, ratings=ratings)


def moved(before, after, persona=""):
    beliefs = ((False, before), (True, after))
    return [Belief(persona=persona, after=late, percent=one) for late, one in beliefs if one is not None]


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps([{"claim": f"Claim {i}.", "label": label} for i, label in enumerate(LABELS)]))
    return path


@pytest.fixture
def write(tmp_path):
    """Write the run of a strategy whose graphs hold these contents."""

    def write_folder(strategy, *held):
        folder = tmp_path / strategy
        (folder / "graphs").mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({"identity": {"strategy": strategy}})]
        for number, contents in enumerate(held):
            one = result(number, f"Claim {number}.")
            graph = Graph(one.claim)
            for content in contents:
                graph.add(content, [graph.root], "measure")
            lines.append(one.model_dump_json())
            (folder / "graphs" / f"{number}.json").write_text(json.dumps(graph.to_json()))
        (folder / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines))
        return folder

    return write_folder


@pytest.fixture
def consultancy(write):
    said = rated(Speaker.CONSULTANT, Speaker.NEGATIVE, evidence=1, emotion=3)
    return write(
        "consultancy",
        [*moved(40, 80), *moved(50, 60, NURSE), said],
        [*moved(60, 90), *moved(30, None, NURSE), said],
        [*moved(0, 100), said],  # neither Supported nor Refuted
    )


def test_beliefs_and_persuasion_are_tabled(write, consultancy, gold, capsys):
    debate = write("ai_debate", moved(40, 50), moved(60, 0), [])
    assert main([str(consultancy), str(debate), "--gold", str(gold)]) == 0
    shown = capsys.readouterr().out
    table = [[cell.strip() for cell in line.strip("│").split("│")] for line in shown.splitlines() if line[0] == "│"]
    assert table[:3] == [
        ["ai_debate", "without a persona", "2", "50.0", "25.0", "+35.0"],
        ["consultancy", "without a persona", "2", "50.0", "85.0", "+5.0"],
        ["consultancy", NURSE, "1", "50.0", "60.0", "+10.0"],
    ]
    assert "right (1 turns)" in shown and ["emotion", "3.00", "3.00"] in table


def test_input_that_cannot_be_used_is_named(write, consultancy, gold, capsys):
    (consultancy / "graphs" / "0.json").write_text("{")
    assert main([str(consultancy), "--gold", str(gold)]) == 2
    assert "graphs/0.json: expected the graph of a claim" in capsys.readouterr().err
