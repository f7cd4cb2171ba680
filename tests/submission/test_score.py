"""Scores of one predictions file, and of several runs in one table with paired intervals."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from submission.__main__ import main
from submission.bootstrap import Estimate, Resamples
from submission.runs import score_runs
from submission.score import INVALID, Mismatch, ScoreReport, label_scores, score
from system.graph.records import Cost, Label
from tests.helpers.report_factories import write_run
from tests.helpers.submission_factories import result

SUPPORTED, REFUTED, NEI, CONFLICTING = Label


def test_only_paired_claims_are_scored_whatever_their_order_and_the_rest_is_named(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    texts = {8: "Claim 8.", 2: "Claim two.", 1: " Claim 1.\n", 0: "Claim 0."}
    gold = [(f"Claim {n}.", REFUTED if n % 2 else SUPPORTED) for n in range(6)]
    options = files([result(n, text, SUPPORTED) for n, text in texts.items()], gold)
    assert main(["score", *options, "--json", str(tmp_path / "new" / "scores.json")]) == 0
    out = capsys.readouterr().out
    lines = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in out.splitlines()]
    assert "not scored, no prediction: 3 claims (3, 4, 5)" in out
    assert "not scored, not in the gold file: 1 claims (8)" in out
    assert "not scored, another text: claim 2: 'Claim two.', in gold 'Claim 2.'" in out
    assert "The official scorer scores this file wrongly: entry 0: has claim_id 8, but is at position 0" in out
    assert "Labels of 2 of 6 claims" in out and ["accuracy", "0.500", "0.500"] in lines
    assert ["Supported", "0.500", "1.000", "0.667", "1"] in lines
    assert ["Refuted", "1", "0", "0", "0"] in lines  # its confusion: one claim taken for Supported
    report = ScoreReport.model_validate_json((tmp_path / "new" / "scores.json").read_bytes())
    assert (report.labels.claims, report.labels.accuracy, report.constant_refuted.accuracy) == (2, 0.5, 0.5)
    assert report.mismatched == (Mismatch(claim_id=2, predicted="Claim two.", gold="Claim 2."),)
    assert (report.missing, report.extra, report.legacy) == ((3, 4, 5), (8,), None)


@pytest.mark.data
def test_the_organizers_baseline_has_its_counted_accuracy(shared):
    submission = shared / "data/fever8/baseline_submission.csv"
    predicted, gold = pd.read_csv(submission)["label"], pd.read_csv(shared / "data/fever8/solution_dev.csv")["label"]
    report = score(submission, shared / "data/averitec/dev.json")
    assert report.labels.accuracy == (predicted == gold).mean()
    assert report.constant_refuted.accuracy == (gold == "Refuted").mean()
    assert not (report.missing or report.extra or report.mismatched)


def test_label_scores_are_those_worked_out_by_hand():
    # Supported 1 of 2 found with 1 false alarm; Refuted 2 of 3 with 1; NEI 1 of 1; Conflicting 0 of 1.
    gold = [SUPPORTED, SUPPORTED, REFUTED, REFUTED, REFUTED, NEI, CONFLICTING]
    predicted = [SUPPORTED, REFUTED, REFUTED, REFUTED, SUPPORTED, NEI, "Conflicting evidence"]
    scores = label_scores(gold, predicted)
    assert (scores.claims, scores.accuracy) == (7, pytest.approx(4 / 7))
    assert scores.macro_f1 == pytest.approx((1 / 2 + 2 / 3 + 1 + 0) / 4)
    assert scores.macro_f1 == pytest.approx(f1_score(gold, predicted, labels=list(Label), average="macro"))
    refuted = scores.labels[REFUTED]
    assert (refuted.precision, refuted.recall, refuted.support) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 3)
    assert (scores.labels[CONFLICTING].precision, scores.labels[CONFLICTING].f1) == (0, 0)
    assert scores.confusion[REFUTED] == {SUPPORTED: 1, REFUTED: 2, NEI: 0, CONFLICTING: 0, INVALID: 0}
    assert scores.confusion[CONFLICTING][INVALID] == 1
    assert label_scores([REFUTED], [REFUTED]).macro_f1 == 0.25  # labels that do not occur count
    for label in ("refuted", "Refuted ", ""):  # wrong, as for the official scorer
        scores = label_scores([REFUTED, REFUTED], [label, REFUTED])
        assert (scores.accuracy, scores.confusion[REFUTED][INVALID]) == (0.5, 1)


@pytest.fixture
def write(tmp_path):
    """Write a run whose claims get these labels, and the gold file of its claims."""
    gold = [{"claim": f"Claim {n}.", "label": label} for n, label in enumerate([SUPPORTED, REFUTED, NEI] * 20)]
    (tmp_path / "gold.json").write_text(json.dumps(gold))

    def write(name, labels, two_labels=False, **settings):
        results = [result(n, f"Claim {n}.", label, cost=Cost(calls=3)) for n, label in enumerate(labels)]
        settings = {**settings, "graph": {"two_labels": two_labels}}
        return write_run(tmp_path / name, results, claims_file=str(tmp_path / "gold.json"), settings=settings)

    return write


@pytest.mark.parametrize(("wanted", "accuracy", "labels"), [(None, 1.0, 2), (True, 1.0, 2), (False, 2 / 3, 4)])
def test_a_run_is_scored_by_as_many_labels_as_it_had(write, tmp_path, wanted, accuracy, labels):
    run = write("run", [SUPPORTED, REFUTED, REFUTED] * 20, two_labels=True)
    scores = score(run / "submission.json", tmp_path / "gold.json", two_labels=wanted).labels
    assert (scores.accuracy, len(scores.labels)) == (accuracy, labels)


def test_runs_agree_with_scikit_learn_and_differences_are_paired(write, tmp_path):
    truth = [SUPPORTED, REFUTED, NEI] * 20
    one = [SUPPORTED, REFUTED, REFUTED] * 20
    other = one[:-6] + truth[-6:]
    report = score_runs([write("one", one), write("other", other)], tmp_path / "gold.json")
    assert report.claims == 60
    for run, answers in zip(report.runs, (one, other), strict=True):
        assert run.scores["accuracy"].mean == pytest.approx(np.mean(np.array(answers) == np.array(truth)))
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


def test_several_runs_make_one_table(write, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    one = write("one", [SUPPORTED, REFUTED, REFUTED] * 20, strategy="got")
    short = write("short", [SUPPORTED, SUPPORTED] * 5, two_labels=True, strategy="single")
    (tmp_path / "other").mkdir()
    csv = tmp_path / "other" / "submission.csv"
    csv.write_bytes((one / "submission.csv").read_bytes())
    assert main(["score", str(one), str(short), str(csv), "--json", str(tmp_path / "scores.json")]) == 0
    out = capsys.readouterr().out
    assert "10 claims, in percent" in out and "strategy single" in out
    assert out.count("submission.csv") == 1 and "–" in out  # no journal, so no costs
    runs = json.loads((tmp_path / "scores.json").read_text())["runs"]
    assert [run["costs"].get("calls") for run in runs] == [3.0, 3.0, None]
    assert [run["scores"]["accuracy"]["mean"] for run in runs] == [1.0, 0.4, 1.0]  # in two labels, as one run had two


def test_input_that_cannot_be_scored_is_named(write, tmp_path, capsys):
    one, other, twice = (write(name, [SUPPORTED] * 3) for name in ("one", "other", "twice"))
    gold = tmp_path / "gold.json"
    (one / "run.json").unlink()
    entries = json.loads((other / "submission.json").read_text())
    (other / "submission.json").write_text(json.dumps([entry | {"claim": "Another."} for entry in entries]))
    (twice / "submission.json").write_text(json.dumps([*entries, entries[1]]))
    for arguments, message in (
        ([], "nothing to score"),
        ([one, other], "give the labels with --gold"),
        ([one, "--gold", tmp_path / "none.json"], "none.json"),
        ([one, other, "--gold", gold], "none of 3 predictions matches one of 60 gold claims by id and"),
        ([twice], "claim 1 has two predictions"),
    ):
        assert main(["score", *map(str, arguments)]) == 2
        assert message in " ".join(capsys.readouterr().err.split())
