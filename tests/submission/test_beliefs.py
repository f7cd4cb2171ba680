"""How beliefs moved and how speakers persuaded, from the graphs of runs."""

import json

import pytest

from submission.__main__ import main
from submission.beliefs import BeliefScore, PersuasionScore, score_beliefs
from system.graph.graph import Graph
from system.graph.records import Label
from system.graph.thoughts import Speaker
from system.strategies.consultancy.records import Belief, Persuasion, Ratings
from tests.helpers.report_factories import write_run
from tests.helpers.submission_factories import result

NURSE = "A nurse of 68."
LABELS = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)
BOTH = (Speaker.AFFIRMATIVE, Speaker.NEGATIVE)


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
    """Write the run of a strategy, with what its graphs hold of each claim."""

    def write_folder(strategy, *held):
        run = []
        for number, contents in enumerate(held):
            one = result(number, f"Claim {number}.")
            graph = Graph(one.claim)
            for content in contents:
                graph.add(content, [graph.root], "measure")
            run.append((one, graph))
        folder = write_run(tmp_path / strategy, run)
        (folder / "run.json").write_text(json.dumps({"settings": {"strategy": strategy}}))
        return folder

    return write_folder


@pytest.fixture
def consultancy(write):
    said = rated(Speaker.CONSULTANT, Speaker.NEGATIVE, evidence=1, emotion=3)
    return write(
        "consultancy",
        [*moved(40, 80), *moved(50, 60, NURSE), said],
        [*moved(60, 90), *moved(30, None, NURSE), said],
        [*moved(0, 100), said],
    )


def test_beliefs_are_scored_by_strategy_and_persona(write, consultancy, gold):
    debate = write("ai_debate", moved(40, 50), moved(60, 0), [])
    report = score_beliefs([consultancy, debate], gold)
    assert report.beliefs == (
        BeliefScore(strategy="ai_debate", persona="", claims=2, before=50, after=25, shift=35),
        BeliefScore(strategy="consultancy", persona="", claims=2, before=50, after=85, shift=5),
        BeliefScore(strategy="consultancy", persona=NURSE, claims=1, before=50, after=60, shift=10),
    )
    assert (report.other_labels, report.unpaired) == (2, 1)


def test_ratings_are_told_apart_by_who_was_right(write, consultancy, gold):
    debate = [rated(side, side, evidence=2 if side is BOTH[0] else 0) for side in BOTH]
    report = score_beliefs([consultancy, write("ai_debate", debate, [], [])], gold)
    evidence, *_, certainty = report.persuasion
    assert (report.right, report.wrong) == (2, 2)
    assert evidence == PersuasionScore(strategy="evidence", right=1.5, wrong=0.5)
    assert certainty == PersuasionScore(strategy="certainty", right=0, wrong=0)
    assert score_beliefs([write("single", debate[:1])], gold).persuasion[0].wrong is None


def test_the_command_prints_both_tables(consultancy, gold, capsys):
    assert main(["beliefs", str(consultancy), "--gold", str(gold)]) == 0
    shown = capsys.readouterr().out
    for words in ("without a persona", "+5.0", "right (1 turns)", "emotion", "3.00", "left out: 1 claims", "1 beliefs"):
        assert words in shown


def test_input_that_cannot_be_used_is_named(write, consultancy, gold, capsys):
    def fails_with(*words):
        assert main(["beliefs", str(consultancy), "--gold", str(gold)]) == 2
        shown = capsys.readouterr().err
        assert all(word in shown for word in words), shown

    graph = consultancy / "graphs" / "0.json"
    graph.write_text(graph.read_text().replace('"percent": 40', '"percent": "many"'))
    fails_with("graphs/0.json: b1: percent: expected a valid number")
    graph.write_text("{")
    fails_with("graphs/0.json: expected a graph of thoughts")
    write("consultancy", [], [], moved(0, 100))
    fails_with("calls Supported or Refuted, got none", "--beliefs or --persuasion")
    (consultancy / "run.json").write_text('{"settings": []}')
    fails_with("run.json: expected the settings of a run: settings")
    (consultancy / "run.json").unlink()
    fails_with("run.json not found")
