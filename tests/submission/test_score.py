import json
from collections.abc import Sequence
from pathlib import Path

import nltk
import pandas as pd
import pytest
from rich.console import Console

from submission.read import Gold, Pair
from submission.score import INVALID, Metric, Mismatch, ScoreReport, in_two_labels, label_scores, score
from submission.tables import print_report
from submission.write import predictions, write_json
from system.graph.records import TWO_LABELS, Label
from tests.helpers.submission_factories import prediction, result


@pytest.fixture
def report(tmp_path: Path) -> ScoreReport:
    gold = [{"claim": f"Claim {n}.", "label": "Refuted" if n % 2 else "Supported"} for n in range(6)]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    results = [
        result(0, "Claim 0.", Label.SUPPORTED),
        result(1, "Claim 1.", Label.SUPPORTED),
        result(2, "Claim two.", Label.SUPPORTED),
        result(8, "Claim 8.", Label.SUPPORTED),
    ]
    write_json(predictions(results), tmp_path / "submission.json")
    return score(tmp_path / "submission.json", tmp_path / "gold.json")


def test_scores_only_paired_rows_and_names_the_rest(report: ScoreReport) -> None:
    assert (report.labels.claims, report.gold_claims) == (2, 6)
    assert (report.labels.accuracy, report.constant_refuted.accuracy) == (0.5, 0.5)
    assert report.mismatched == (Mismatch(claim_id=2, predicted="Claim two.", gold="Claim 2."),)
    assert (report.missing, report.extra) == ((3, 4, 5), (8,))


def test_reports_what_the_official_scorer_does(report: ScoreReport) -> None:
    assert report.official.startswith(
        "The official scorer scores this file wrongly: entry 3: has claim_id 8, but is at position 3"
    )


def test_legacy_scores_are_opt_in(
    tmp_path: Path, report: ScoreReport, wordnet_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nltk, "download", lambda *_, **__: False)
    questions = [{"question": "When did the bridge open?", "answers": [{"answer": "In 1932."}]}]
    gold = [{"claim": "Claim 0.", "label": "Supported", "questions": questions}]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    with_legacy = score(tmp_path / "submission.json", tmp_path / "gold.json", {Metric.LEGACY})
    assert report.legacy is None and with_legacy.legacy is not None
    assert with_legacy.legacy.overall.averitec[0.5] == 1
    assert ScoreReport.model_validate_json(with_legacy.model_dump_json()) == with_legacy


def test_the_printed_report_names_scores_and_what_was_left_out(
    report: ScoreReport, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(report, Console(width=120))
    out = capsys.readouterr().out
    lines = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in out.splitlines()]
    assert "not scored, no prediction: 3 claims (3, 4, 5)" in out
    assert "not scored, not in the gold file: 1 claims (8)" in out
    assert "not scored, another text: claim 2: 'Claim two.', in gold 'Claim 2.'" in out
    assert "Labels of 2 of 6 claims" in out
    assert ["accuracy", "0.500", "0.500"] in lines
    assert ["Supported", "0.500", "1.000", "0.667", "1"] in lines
    assert ["Refuted", "1", "0", "0", "0"] in lines  # its confusion: one claim taken for Supported


@pytest.mark.data
def test_the_organizers_baseline_has_its_counted_accuracy(shared: Path) -> None:
    submission = shared / "data/fever8/baseline_submission.csv"
    predicted, gold = pd.read_csv(submission)["label"], pd.read_csv(shared / "data/fever8/solution_dev.csv")["label"]
    report = score(submission, shared / "data/averitec/dev.json")
    assert report.labels.accuracy == (predicted == gold).mean()
    assert report.constant_refuted.accuracy == (gold == "Refuted").mean()
    assert not (report.missing or report.extra or report.mismatched)


SUPPORTED, REFUTED, NEI, CONFLICTING = Label


def _pairs(labels: Sequence[tuple[Label, str]]) -> list[Pair]:
    return [
        Pair(prediction(n, "c", predicted), Gold(claim_id=n, claim="c", label=gold))
        for n, (gold, predicted) in enumerate(labels)
    ]


# Worked out by hand: Supported 1 of 2 found with 1 false alarm; Refuted 2 of 3 with 1; NEI 1 of 1; Conflicting 0 of 1.
PAIRS = _pairs(
    [
        (SUPPORTED, SUPPORTED),
        (SUPPORTED, REFUTED),
        (REFUTED, REFUTED),
        (REFUTED, REFUTED),
        (REFUTED, SUPPORTED),
        (NEI, NEI),
        (CONFLICTING, "Conflicting evidence"),
    ]
)


def test_scores_are_those_worked_out_by_hand() -> None:
    scores = label_scores(PAIRS)
    assert scores.claims == 7
    assert scores.accuracy == pytest.approx(4 / 7)
    assert scores.macro_f1 == pytest.approx((1 / 2 + 2 / 3 + 1 + 0) / 4)
    refuted = scores.labels[REFUTED]
    assert (refuted.precision, refuted.recall, refuted.support) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 3)
    assert (scores.labels[CONFLICTING].precision, scores.labels[CONFLICTING].f1) == (0, 0)


def test_confusion_counts_invalid_labels_apart() -> None:
    confusion = label_scores(PAIRS).confusion
    assert confusion[REFUTED] == {SUPPORTED: 1, REFUTED: 2, NEI: 0, CONFLICTING: 0, INVALID: 0}
    assert confusion[CONFLICTING][INVALID] == 1
    assert sum(sum(row.values()) for row in confusion.values()) == len(PAIRS)


@pytest.mark.parametrize("label", ["refuted", "Refuted ", ""])
def test_a_misspelled_label_is_wrong_as_for_the_official_scorer(label: str) -> None:
    scores = label_scores(_pairs([(REFUTED, label), (REFUTED, REFUTED)]))
    assert (scores.accuracy, scores.confusion[REFUTED][INVALID]) == (0.5, 1)


def test_the_macro_mean_counts_labels_that_do_not_occur() -> None:
    assert label_scores(_pairs([(REFUTED, REFUTED)])).macro_f1 == 0.25


def test_in_two_labels_both_sides_are_folded() -> None:
    pairs = in_two_labels(
        _pairs([(REFUTED, "Not Enough Evidence"), (CONFLICTING, "Refuted"), (SUPPORTED, "Supported")])
    )
    scores = label_scores(pairs, TWO_LABELS)
    assert (scores.accuracy, scores.macro_f1, [*scores.confusion]) == (1.0, 1.0, [*TWO_LABELS])


@pytest.mark.parametrize(("wanted", "accuracy", "labels"), [(None, 0.5, 2), (True, 0.5, 2), (False, 0.0, 4)])
def test_a_run_is_scored_by_as_many_labels_as_it_had(tmp_path: Path, wanted, accuracy, labels) -> None:
    gold = [{"claim": f"Claim {n}.", "label": label} for n, label in enumerate((CONFLICTING, SUPPORTED))]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    write_json(predictions([result(n, f"Claim {n}.", Label.REFUTED) for n in range(2)]), tmp_path / "submission.json")
    (tmp_path / "run.json").write_text('{"settings": {"graph": {"two_labels": true}}}')
    scores = score(tmp_path / "submission.json", tmp_path / "gold.json", two_labels=wanted).labels
    assert (scores.accuracy, len(scores.labels)) == (accuracy, labels)
