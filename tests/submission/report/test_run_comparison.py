"""Two runs compared: labels, scores, time and settings."""

import io
import json

import pytest
from rich.console import Console

from submission.files import SubmissionError
from submission.report.run_comparison import compare, print_comparison
from system.graph.records import Claim, Label, Verdict
from tests.helpers.report_factories import TEXT, four_claims, graph_of, result_of, write_run


@pytest.fixture
def runs(tmp_path):
    """A run of four claims with its gold, and one of two of them: the first now wrong, the second now right."""
    before, gold = four_claims(tmp_path)
    run = []
    for claim, label in ((Claim(id=0, text=TEXT), Label.REFUTED), (Claim(id=1, text="Claim 1."), Label.REFUTED)):
        result = result_of(claim, graph_of(claim), seconds=1.0)
        verdict = Verdict(label=label, justification="", confidence=0.5)
        run.append((result.model_copy(update={"verdict": verdict}), graph_of(claim)))
    after = write_run(tmp_path / "after", run)
    setup = json.loads((after / "run.json").read_bytes())
    setup["settings"] = {"strategy": "single", "graph": {"depth": 2}}
    (after / "run.json").write_text(json.dumps(setup), encoding="utf-8")
    return before, after, gold


def test_names_changed_labels_with_gold(runs):
    comparison = compare(*runs)
    assert (comparison.shared, comparison.only) == (2, (2, 0))
    assert [(one.claim_id, one.before, one.after, one.gold) for one in comparison.changes] == [
        (0, "Supported", "Refuted", "Supported"),
        (1, "Supported", "Refuted", "Refuted"),
    ]


def test_scores_are_of_the_claims_that_both_runs_have(runs):
    measures = {one.name: one for one in compare(*runs).measures}
    assert (measures["label accuracy"].before, measures["label accuracy"].after) == (0.5, 0.5)
    assert measures["longest claim"].after == 1.0
    assert measures["failures"].before == 1.0


def test_a_run_in_two_labels_is_scored_by_two(runs):
    four = {one.name: one for one in compare(*runs).measures}["macro-F1"]
    setup = json.loads((runs[1] / "run.json").read_bytes())
    setup["settings"]["graph"]["two_labels"] = True
    (runs[1] / "run.json").write_text(json.dumps(setup), encoding="utf-8")
    two = {one.name: one for one in compare(*runs).measures}["macro-F1"]
    assert (two.before, two.after) == pytest.approx((1 / 3, 1 / 3))
    assert (four.before, four.after) == pytest.approx((1 / 6, 1 / 6))


def test_without_gold_labels_and_time_are_compared(runs):
    comparison = compare(*runs[:2])
    assert {one.gold for one in comparison.changes} == {""}
    assert "label accuracy" not in {one.name for one in comparison.measures}


def test_names_settings_that_differ(runs):
    assert compare(*runs[:2]).settings == {"strategy": ("got", "single"), "graph.depth": ("–", "2")}


def test_a_run_equals_itself(runs):
    comparison = compare(runs[0], runs[0], runs[2])
    assert comparison.changes == () and comparison.settings == {}
    assert all(one.before == one.after for one in comparison.measures)


def test_rejects_runs_of_other_claims(runs, tmp_path):
    claim = Claim(id=0, text="Something else.")
    other = write_run(tmp_path / "other", [(result_of(claim, graph_of(claim)), graph_of(claim))])
    with pytest.raises(SubmissionError, match="have no claim in common"):
        compare(runs[0], other)


def test_the_terminal_says_what_became_right_and_wrong(runs):
    console = Console(file=io.StringIO(), width=160)
    print_comparison(compare(*runs), console)
    shown = console.file.getvalue()
    assert "2 labels changed: 1 became right, 1 became wrong" in shown
    assert "2 claims only in the run before" in shown
