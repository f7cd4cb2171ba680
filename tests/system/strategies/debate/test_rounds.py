"""Rounds against correctness and cost, from a run's journal."""

from system.graph.records import Cost, Label
from system.strategies.debate.rounds import main
from tests.helpers import annotated
from tests.helpers.report_factories import write_run
from tests.helpers.submission_factories import result


def test_claims_are_scored_by_the_rounds_that_they_took(tmp_path, capsys):
    """Three claims are called Refuted, after one round and twice two; the last is Supported."""
    costs = [Cost(calls=rounds, tokens_in=100 * rounds) for rounds in (1, 2, 2)]
    results = [result(n, label=Label.REFUTED, rounds=cost.calls, cost=cost) for n, cost in enumerate(costs)]
    labels = (Label.NOT_ENOUGH_EVIDENCE, Label.REFUTED, Label.SUPPORTED)
    gold = annotated.write(tmp_path / "gold.json", [annotated.claim(results[0].claim.text, label) for label in labels])
    arguments = [str(tmp_path), "--gold", str(gold)]

    def printed(identity):
        write_run(tmp_path, results, identity=identity)
        assert main(arguments) == 0
        rows = [line.strip("│").split("│") for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
        return {name.strip(): [cell.strip() for cell in cells] for name, *cells in rows}

    assert printed({"graph.two_labels": "True"}) == {  # gold is folded if the run had two labels
        "1": ["1", "1.000", "100.0", "0.0", "1.0"],
        "2": ["2", "0.500", "200.0", "0.0", "2.0"],
        "all": ["3", "0.667", "166.7", "0.0", "1.7"],
    }
    assert printed({})["all"][1] == "0.333"
    (tmp_path / "journal.jsonl").unlink()
    assert main(arguments) == 2
    assert "journal.jsonl: expected the journal of a run" in capsys.readouterr().err
