"""Rounds against correctness and cost, from a run's journal."""

import orjson
import pytest

from system.graph.records import Cost, Label
from system.strategies.debate.rounds import by_rounds, main
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


def test_claims_are_scored_by_the_rounds_that_they_took(run, capsys):
    folder, *_ = run
    assert by_rounds(folder, folder / "gold.json") == {
        "1": (1, 1.0, 100.0, 0.0, 1.0),
        "2": (2, 0.5, 200.0, 0.0, 2.0),
        "all": (3, pytest.approx(2 / 3), pytest.approx(500 / 3), 0.0, pytest.approx(5 / 3)),
    }
    assert main([str(folder), "--gold", str(folder / "gold.json")]) == 0
    assert "0.667" in capsys.readouterr().out


def test_gold_is_folded_if_the_run_had_two_labels(run):
    folder, lines, gold = run
    gold[0]["label"] = Label.NOT_ENOUGH_EVIDENCE
    for identity, accuracy in (({}, 1 / 3), ({"graph.two_labels": "True"}, 2 / 3)):
        write(folder, [{"identity": identity}, *lines[1:]], gold)
        assert by_rounds(folder, folder / "gold.json")["all"][1] == pytest.approx(accuracy)


def test_input_that_cannot_be_used_is_named(run, capsys):
    folder, lines, gold = run
    write(folder, lines, [one | {"claim": "Another."} for one in gold])
    assert main([str(folder), "--gold", str(folder / "gold.json")]) == 2
    assert "expected results of claims that" in capsys.readouterr().err
    assert main([str(folder / "none"), "--gold", str(folder / "gold.json")]) == 2
    assert "journal.jsonl: expected the journal of a run" in capsys.readouterr().err
