"""Rounds against correctness and tokens a claim, from a run's own files."""

import orjson
import pytest

from submission.__main__ import main
from submission.files import SubmissionError
from submission.rounds import by_rounds
from submission.write import write_outputs
from system.graph.records import Cost, Label
from tests.helpers.submission_factories import result
from tests.submission.test_timings import FACTS


@pytest.fixture
def run(tmp_path):
    """Three claims called Refuted, of one round and twice two; the last is Supported."""
    results, gold = [], []
    for number, (rounds, label) in enumerate([(1, Label.REFUTED), (2, Label.REFUTED), (2, Label.SUPPORTED)]):
        one = result(number)
        timing = one.timing.model_copy(update={"rounds": rounds, "cost": Cost(calls=rounds, tokens_in=100 * rounds)})
        verdict = one.verdict.model_copy(update={"label": Label.REFUTED})
        results.append(one.model_copy(update={"timing": timing, "verdict": verdict}))
        gold.append({"claim_id": number, "claim": one.claim.text, "label": label, "questions": []})
    write_outputs(results, tmp_path, FACTS)
    (tmp_path / "gold.json").write_bytes(orjson.dumps(gold))
    return tmp_path


def test_claims_are_scored_by_the_rounds_that_they_took(run, capsys):
    rows = by_rounds(run, run / "gold.json")
    assert [(row.rounds, row.claims, row.accuracy, row.tokens_in) for row in rows] == [
        (1, 1, 1.0, 100.0),
        (2, 2, 0.5, 200.0),
        (0, 3, pytest.approx(2 / 3), pytest.approx(500 / 3)),
    ]
    assert main(["rounds", str(run), "--gold", str(run / "gold.json")]) == 0
    assert "0.667" in capsys.readouterr().out


def test_gold_is_folded_where_the_run_had_two_labels(run):
    gold = orjson.loads((run / "gold.json").read_bytes())
    gold[0]["label"] = Label.NOT_ENOUGH_EVIDENCE
    (run / "gold.json").write_bytes(orjson.dumps(gold))
    assert by_rounds(run, run / "gold.json")[-1].accuracy == pytest.approx(1 / 3)
    (run / "run.json").write_text('{"settings": {"graph": {"two_labels": true}}}')
    assert by_rounds(run, run / "gold.json")[-1].accuracy == pytest.approx(2 / 3)


def test_a_time_report_of_another_kind_is_named_in_one_line(run):
    (run / "timings.json").write_text('{"claims": 5}')
    with pytest.raises(
        SubmissionError, match=r"timings.json: expected the time report of a run \(\w+: expected [^\n]*$"
    ):
        by_rounds(run, run / "gold.json")
