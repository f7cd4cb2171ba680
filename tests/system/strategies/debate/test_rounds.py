"""Rounds against correctness and cost, from a run's journal."""

import orjson
import pytest

from system.graph.records import Cost, Label
from system.strategies.debate.rounds import main
from tests.helpers.submission_factories import result


@pytest.fixture
def run(tmp_path):
    """Three claims called Refuted, of one round and twice two; the last is Supported."""
    lines, gold = [{"identity": {}}], []
    for number, (rounds, label) in enumerate([(1, Label.REFUTED), (2, Label.REFUTED), (2, Label.SUPPORTED)]):
        one = result(number, label=Label.REFUTED)
        timing = one.timing.model_copy(update={"rounds": rounds, "cost": Cost(calls=rounds, tokens_in=100 * rounds)})
        lines.append(one.model_copy(update={"timing": timing}).model_dump(mode="json"))
        gold.append({"claim": one.claim.text, "label": label, "questions": []})
    write(tmp_path, lines, gold)
    return tmp_path, lines, gold


def write(folder, lines, gold):
    (folder / "journal.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    (folder / "gold.json").write_bytes(orjson.dumps(gold))


def rows(folder, capsys):
    """The printed rows, by their first column."""
    assert main([str(folder), "--gold", str(folder / "gold.json")]) == 0
    lines = [line.strip("│").split("│") for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    return {name.strip(): [cell.strip() for cell in cells] for name, *cells in lines}


def test_claims_are_scored_by_the_rounds_that_they_took(run, capsys):
    assert rows(run[0], capsys) == {
        "1": ["1", "1.000", "100.0", "0.0", "1.0"],
        "2": ["2", "0.500", "200.0", "0.0", "2.0"],
        "all": ["3", "0.667", "166.7", "0.0", "1.7"],
    }


def test_gold_is_folded_if_the_run_had_two_labels(run, capsys):
    folder, lines, gold = run
    gold[0]["label"] = Label.NOT_ENOUGH_EVIDENCE
    for identity, accuracy in (({}, "0.333"), ({"graph.two_labels": "True"}, "0.667")):
        write(folder, [{"identity": identity}, *lines[1:]], gold)
        assert rows(folder, capsys)["all"][1] == accuracy


def test_input_that_cannot_be_used_is_named(run, capsys):
    folder, lines, gold = run
    write(folder, lines, [one | {"claim": "Another."} for one in gold])
    assert main([str(folder), "--gold", str(folder / "gold.json")]) == 2
    assert "expected results of claims that" in capsys.readouterr().err
    assert main([str(folder / "none"), "--gold", str(folder / "gold.json")]) == 2
    assert "journal.jsonl: expected the journal of a run" in capsys.readouterr().err
