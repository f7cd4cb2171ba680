"""How beliefs moved and how speakers persuaded, from the graphs of runs."""

import json

import pytest

from system.graph.graph import Graph
from system.graph.records import Label
from system.graph.thoughts import Speaker
from system.strategies.consultancy.beliefs import main, measured
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


def test_beliefs_are_scored_by_strategy_and_persona(write, consultancy, gold):
    moves, turns = measured([consultancy, write("ai_debate", moved(40, 50), moved(60, 0), [])], gold)
    assert moves == {
        ("consultancy", ""): [(40, 80, 40), (60, 90, -30)],
        ("consultancy", NURSE): [(50, 60, 10)],
        ("ai_debate", ""): [(40, 50, 10), (60, 0, 60)],
    }
    assert [(len(rated), rated[0]["emotion"]) for rated in (turns[True], turns[False])] == [(1, 3), (1, 3)]


def test_the_command_prints_both_tables(consultancy, gold, capsys):
    assert main([str(consultancy), "--gold", str(gold)]) == 0
    shown = capsys.readouterr().out
    for words in ("without a persona", "+5.0", "right (1 turns)", "emotion", "3.00"):
        assert words in shown


def test_input_that_cannot_be_used_is_named(write, consultancy, gold, capsys):
    (consultancy / "graphs" / "0.json").write_text("{")
    assert main([str(consultancy), "--gold", str(gold)]) == 2
    assert "graphs/0.json: expected the graph of a claim" in capsys.readouterr().err
    write("consultancy", [], [], moved(0, 100))
    assert main([str(consultancy), "--gold", str(gold)]) == 2
    assert "got none; run consultancy or ai_debate with --options beliefs=true" in capsys.readouterr().err
