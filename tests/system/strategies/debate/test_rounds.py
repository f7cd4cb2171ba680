"""Rounds against correctness and cost, from a run's journal."""

import orjson

from system.graph.records import Cost, Label
from system.strategies.debate.rounds import main
from tests.helpers.submission_factories import result


def test_claims_are_scored_by_the_rounds_that_they_took(tmp_path, capsys):
    """Three claims are called Refuted, after one round and twice two; the last is Supported."""
    lines, gold = [], []
    for number, (rounds, label) in enumerate(
        [(1, Label.NOT_ENOUGH_EVIDENCE), (2, Label.REFUTED), (2, Label.SUPPORTED)]
    ):
        one = result(number, label=Label.REFUTED)
        timing = one.timing.model_copy(update={"rounds": rounds, "cost": Cost(calls=rounds, tokens_in=100 * rounds)})
        lines.append(one.model_copy(update={"timing": timing}).model_dump(mode="json"))
        gold.append({"claim": one.claim.text, "label": label, "questions": []})
    arguments = [str(tmp_path), "--gold", str(tmp_path / "gold.json")]

    def printed(identity):
        journal = b"".join(orjson.dumps(line) + b"\n" for line in [{"identity": identity}, *lines])
        (tmp_path / "journal.jsonl").write_bytes(journal)
        (tmp_path / "gold.json").write_bytes(orjson.dumps(gold))
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
