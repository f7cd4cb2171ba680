"""Calibration of confidences: against what was drawn, and against the definition of the error."""

import json

import numpy as np
import pytest

from submission.__main__ import main
from submission.calibration import calibrate, expected_error, reliability
from submission.files import SubmissionError
from system.graph.records import Calibration, Label


def drawn(claims=2000, honest=lambda c: c**3):
    """Confidences of a system that is right less often than it says."""
    rng = np.random.default_rng(0)
    confidences = rng.uniform(0.3, 1.0, claims)
    return confidences, [bool(rng.random() < honest(c)) for c in confidences]


@pytest.mark.parametrize(("honest", "at", "expected"), [(lambda c: c**3, 0.8, 0.8**3), (lambda c: c, 0.7, 0.7)])
def test_confidences_become_the_share_that_is_right(honest, at, expected):
    report = calibrate(*drawn(honest=honest))
    after, before = expected_error(report.after), expected_error(report.before)
    assert after < 0.05 and before > after - 0.01
    assert report.calibration.of(at) == pytest.approx(expected, abs=0.08)
    values = [report.calibration.of(c) for c in np.linspace(0, 1, 23)]
    assert min(np.diff(values)) > -1e-12 and values[0] >= 0 and values[-1] <= 1


def test_a_few_claims_at_an_end_do_not_give_certainty():
    confidences = [*np.linspace(0.1, 0.2, 8), *np.linspace(0.4, 0.6, 20), *np.linspace(0.8, 0.9, 8)]
    calibration = calibrate(confidences, [False] * 8 + [True, False] * 10 + [True] * 8).calibration
    assert [calibration.of(end) for end in (0.0, 1.0)] == pytest.approx([1 / 9, 8 / 9], abs=0.01)


def test_the_error_is_measured_out_of_fold():
    confidences, _ = drawn(60)
    rng = np.random.default_rng(3)
    right = np.array([rng.random() < 0.5 for _ in confidences])
    report = calibrate(confidences, right)
    seen = np.array([report.calibration.of(c) for c in confidences])
    assert expected_error(report.after) > expected_error(reliability(seen, right))  # a fit flatters what it has seen


def test_the_expected_error_by_hand():
    bins = reliability(np.array([0.15, 0.15, 0.95, 1.0]), np.array([False, True, True, True]))
    assert expected_error(bins) == pytest.approx((2 * 0.35 + 2 * 0.025) / 4)
    assert [one.claims for one in bins] == [2, 2]


@pytest.mark.parametrize("right", [0, 4, 16, 20])
def test_names_too_little_to_fit_on(right):
    with pytest.raises(SubmissionError, match=f"got {right} right of 20"):
        calibrate([0.5] * 20, [True] * right + [False] * (20 - right))


def test_the_command_writes_a_fit_and_folds_the_gold_of_a_run_in_two_labels(tmp_path, capsys):
    entries, claims = [], []
    for n, (confidence, right) in enumerate(zip(*drawn(200), strict=True)):
        label = Label.REFUTED if right else Label.SUPPORTED
        entries.append({"claim_id": n, "claim": f"Claim {n}.", "pred_label": label, "confidence": float(confidence)})
        claims.append({"claim": f"Claim {n}.", "label": Label.NOT_ENOUGH_EVIDENCE, "questions": []})
    (tmp_path / "gold.json").write_text(json.dumps(claims))
    (tmp_path / "submission.json").write_text(json.dumps(entries))
    fit = tmp_path / "fit.json"
    files = ["--predictions", str(tmp_path / "submission.json"), "--gold", str(tmp_path / "gold.json")]
    assert main(["calibrate", *files, "--output", str(fit)]) == 2  # no prediction is right
    (tmp_path / "run.json").write_text('{"settings": {"graph": {"two_labels": true}}}')
    assert main(["calibrate", *files, "--output", str(fit)]) == 0
    assert Calibration.model_validate_json(fit.read_bytes()).of(0.9) < 0.9
    assert "after, out of fold: expected calibration error 0." in capsys.readouterr().out
    (tmp_path / "submission.json").write_text(json.dumps([one | {"confidence": None} for one in entries]))
    assert main(["calibrate", *files]) == 2
    assert "expected a confidence for every claim" in " ".join(capsys.readouterr().err.split())
