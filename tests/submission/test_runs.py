"""Several runs in one table, their differences with paired intervals."""

import json

import numpy as np
import pytest
from sklearn.metrics import f1_score

from submission.__main__ import main
from submission.bootstrap import Estimate, Resamples
from submission.runs import score_runs
from submission.write import write_outputs
from system.graph.records import Cost, Label
from tests.helpers.submission_factories import result
from tests.system.report.test_timings import FACTS

S, R, N = Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE


@pytest.fixture
def write(tmp_path):
    """Write a run whose claims get these labels, and the gold file of its claims."""
    gold = [{"claim": f"Claim {n}.", "label": label} for n, label in enumerate([S, R, N] * 20)]
    (tmp_path / "gold.json").write_text(json.dumps(gold))

    def write_run(name, labels, two_labels=False, **settings):
        results = [result(n, f"Claim {n}.", label, cost=Cost(calls=3)) for n, label in enumerate(labels)]
        write_outputs(results, tmp_path / name, FACTS)
        lines = ['{"identity": {}}', *(one.model_dump_json() for one in results)]
        (tmp_path / name / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines))
        setup = {
            "claims_file": str(tmp_path / "gold.json"),
            "settings": {**settings, "graph": {"two_labels": two_labels}},
        }
        (tmp_path / name / "run.json").write_text(json.dumps(setup))
        return tmp_path / name

    return write_run


def test_scores_agree_with_scikit_learn_and_differences_are_paired(write, tmp_path):
    truth = [S, R, N] * 20
    one, other = [S, R, R] * 20, [S, R, R] * 18 + [S, R, N] * 2
    runs = [write("one", one), write("other", other)]
    report = score_runs(runs, tmp_path / "gold.json")
    assert report.claims == 60
    for run, answers in zip(report.runs, (one, other), strict=True):
        assert run.scores["accuracy"].mean == pytest.approx(
            np.mean([a == b for a, b in zip(answers, truth, strict=True)])
        )
        expected = f1_score(truth, answers, labels=list(Label), average="macro", zero_division=0)
        assert run.scores["macro-F1"].mean == pytest.approx(expected)
    first, second = report.runs
    assert (first.differences, second.gained, second.lost) == ({}, 2, 0)
    gain, apart = second.differences["accuracy"], second.scores["accuracy"]
    assert gain.mean == pytest.approx(2 / 60)
    assert gain.high - gain.low < apart.high - apart.low  # the difficulty of the claims cancels out
    assert gain.low >= 0 and second.differences["macro-F1"].mean > 0


def test_resamples_are_the_same_for_the_same_number_of_claims_and_cover_the_mean():
    values = np.random.default_rng(7).random(200)
    one = Estimate.of(Resamples(200).means(values))
    error = 1.96 * values.std() / np.sqrt(200)  # by the normal approximation, which is close for 200 values
    assert (one.low, one.high) == pytest.approx((values.mean() - error, values.mean() + error), abs=0.01)
    assert Estimate.of(Resamples(200).means(values)) == one


def test_the_command_prints_one_table(write, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    runs = [write("one", [S, R, R] * 20, strategy="got"), write("short", [S, S] * 5, strategy="single")]
    (tmp_path / "other").mkdir()
    csv = tmp_path / "other" / "submission.csv"
    csv.write_bytes((runs[0] / "submission.csv").read_bytes())
    saved = tmp_path / "scores.json"
    assert main(["score", *map(str, [*runs, csv]), "--json", str(saved)]) == 0
    out = capsys.readouterr().out
    assert "10 claims, in percent" in out and "strategy single" in out
    assert out.count("submission.csv") == 1 and "–" in out  # no journal, so no costs
    report = json.loads(saved.read_text())
    assert [one["costs"].get("calls") for one in report["runs"]] == [3.0, 3.0, None]


def test_runs_with_two_labels_are_folded_with_their_gold(write, tmp_path):
    four, two = write("four", [S, R, N] * 20), write("two", [S, R, R] * 20, two_labels=True)
    report = score_runs([four, two], tmp_path / "gold.json")
    assert [one.scores["accuracy"].mean for one in report.runs] == [1.0, 1.0]
    assert [one.scores["macro-F1"].mean for one in report.runs] == [1.0, 1.0]


def test_input_that_cannot_be_compared_is_named(write, tmp_path, capsys):
    one, other = write("one", [S] * 3), write("other", [S] * 3)
    assert main(["score"]) == 2
    assert "nothing to score" in capsys.readouterr().err
    (one / "run.json").unlink()
    assert main(["score", str(one), str(other)]) == 2
    assert "give the labels with --gold" in " ".join(capsys.readouterr().err.split())
    entries = json.loads((other / "submission.json").read_text())
    (other / "submission.json").write_text(json.dumps([entry | {"claim": "Another."} for entry in entries]))
    assert main(["score", str(one), str(other), "--gold", str(tmp_path / "gold.json")]) == 2
    assert "none of 3 predictions matches" in " ".join(capsys.readouterr().err.split())
