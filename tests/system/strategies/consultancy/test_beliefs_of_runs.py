"""How beliefs moved, from the graphs of runs."""

import json

from system.graph.graph import Graph
from system.graph.records import Label
from system.strategies.consultancy.beliefs import main
from system.strategies.consultancy.tasks import Belief
from tests.helpers.report_factories import write_run
from tests.helpers.submission_factories import result

NURSE = "A nurse of 68."


def moved(before, after, persona=""):
    return [Belief(persona=persona, after=late, percent=one) for late, one in ((False, before), (True, after))]


def written(folder, *held):
    """The run of a strategy, the folder's name, whose graphs hold these contents."""
    results = [result(number, f"Claim {number}.") for number in range(len(held))]
    graphs = [Graph(one.claim) for one in results]
    for graph, contents in zip(graphs, held, strict=True):
        for content in contents:
            graph.add(content, [graph.root], "measure")
    return str(write_run(folder, results, graphs, {"strategy": folder.name}))


def test_beliefs_are_tabled_and_a_broken_graph_is_named(tmp_path, capsys):
    gold = tmp_path / "gold.json"
    labels = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)  # the last is left out
    gold.write_text(json.dumps([{"claim": f"Claim {i}.", "label": label} for i, label in enumerate(labels)]))
    nurses = [*moved(40, 80), *moved(50, 60, NURSE)], [*moved(60, 90), moved(30, 0, NURSE)[0]], moved(0, 100)
    runs = [
        written(tmp_path / "consultancy", *nurses),
        written(tmp_path / "ai_debate", moved(40, 50), moved(60, 0), []),
    ]
    assert main([*runs, "--gold", str(gold)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line[0] == "│"] == [
        ["ai_debate", "without a persona", "2", "50.0", "25.0", "+35.0"],
        ["consultancy", "without a persona", "2", "50.0", "85.0", "+5.0"],
        ["consultancy", NURSE, "1", "50.0", "60.0", "+10.0"],
    ]
    (tmp_path / "consultancy" / "graphs" / "0.json").write_text("{")
    assert main([*runs, "--gold", str(gold)]) == 2
    assert "graphs/0.json: expected the graph of a claim" in capsys.readouterr().err
