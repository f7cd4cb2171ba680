"""Calibration of confidences: against what was drawn, and against the definition of the error."""

import json

import numpy as np
import pytest

from submission.__main__ import main
from submission.calibration import calibrate, expected_error, reliability
from submission.files import SubmissionError
from system.graph.records import Calibration, Label

RIGHT, WRONG = Label.REFUTED, Label.SUPPORTED


def drawn(claims=2000, honest=lambda c: c**3, seed=0):
    """Confidences and predictions of a system that is right less often than it says."""
    rng = np.random.default_rng(seed)
    confidences = rng.uniform(0.3, 1.0, claims)
    predicted = [RIGHT if rng.random() < honest(c) else WRONG for c in confidences]
    return confidences, predicted, [RIGHT] * claims


@pytest.mark.parametrize(("honest", "at", "expected"), [(lambda c: c**3, 0.8, 0.8**3), (lambda c: c, 0.7, 0.7)])
def test_confidences_become_the_share_that_is_right(honest, at, expected):
    report = calibrate(*drawn(honest=honest))
    assert report.after < 0.05 and report.before > report.after - 0.01
    assert report.calibration.of(at) == pytest.approx(expected, abs=0.08)
    values = [report.calibration.of(c) for c in np.linspace(0, 1, 23)]
    assert min(np.diff(values)) > -1e-12 and values[0] >= 0 and values[-1] <= 1


def test_a_few_claims_at_an_end_do_not_give_certainty():
    confidences = [*np.linspace(0.1, 0.2, 8), *np.linspace(0.4, 0.6, 20), *np.linspace(0.8, 0.9, 8)]
    right = [False] * 8 + [True, False] * 10 + [True] * 8
    gold = [Label.REFUTED if one else Label.SUPPORTED for one in right]
    calibration = calibrate(confidences, [str(Label.REFUTED)] * len(gold), gold).calibration
    assert calibration.of(1.0) == pytest.approx(8 / 9, abs=0.01)
    assert calibration.of(0.0) == pytest.approx(1 / 9, abs=0.01)


def test_the_error_is_measured_out_of_fold():
    confidences, _, gold = drawn(60)
    rng = np.random.default_rng(3)
    noise = [RIGHT if rng.random() < 0.5 else WRONG for _ in confidences]
    report = calibrate(confidences, noise, gold)
    right = np.array([label == RIGHT for label in noise])
    seen = np.array([report.calibration.of(c) for c in confidences])
    assert report.after > expected_error(seen, right)  # a fit looks better on what it has seen


def test_the_expected_error_by_hand():
    confidences = np.array([0.15, 0.15, 0.95, 1.0])
    right = np.array([False, True, True, True])
    assert expected_error(confidences, right) == pytest.approx((2 * 0.35 + 2 * 0.025) / 4)
    assert [one.claims for one in reliability(confidences, right)] == [2, 2]


@pytest.mark.parametrize("right", [0, 4, 16, 20])
def test_names_too_little_to_fit_on(right):
    predicted = [RIGHT] * right + [WRONG] * (20 - right)
    with pytest.raises(SubmissionError, match=f"got {right} right of 20"):
        calibrate([0.5] * 20, predicted, [RIGHT] * 20)


@pytest.fixture
def files(tmp_path):
    """The options that name 200 predictions and their gold labels."""
    confidences, predicted, gold = drawn(200)
    claims = [{"claim": f"Claim {n}.", "label": label, "questions": []} for n, label in enumerate(gold)]
    entries = [
        {
            "claim_id": n,
            "claim": f"Claim {n}.",
            "evidence": [{"question": "q", "answer": "a", "url": "", "scraped_text": ""}],
            "pred_label": label,
            "justification": "x",
            "confidence": float(confidence),
        }
        for n, (label, confidence) in enumerate(zip(predicted, confidences, strict=True))
    ]
    (tmp_path / "gold.json").write_text(json.dumps(claims))
    (tmp_path / "submission.json").write_text(json.dumps(entries))
    return ["--predictions", str(tmp_path / "submission.json"), "--gold", str(tmp_path / "gold.json")]


def test_the_command_writes_a_fit_and_a_diagram(files, tmp_path, capsys):
    fit = tmp_path / "fit.json"
    assert main(["calibrate", *files, "--output", str(fit)]) == 0
    calibration = Calibration.model_validate_json(fit.read_bytes())
    assert calibration.of(0.9) < 0.9
    assert (tmp_path / "fit.svg").read_text().startswith("<svg")
    assert "out of fold" in capsys.readouterr().out


def test_a_run_in_two_labels_is_calibrated_on_folded_gold(files, tmp_path, capsys):
    gold = json.loads((tmp_path / "gold.json").read_text())
    unknown = [{**claim, "label": Label.NOT_ENOUGH_EVIDENCE} for claim in gold]
    (tmp_path / "gold.json").write_text(json.dumps(unknown))
    assert main(["calibrate", *files, "--output", str(tmp_path / "fit.json")]) == 2  # no prediction is right
    (tmp_path / "run.json").write_text('{"settings": {"graph": {"two_labels": true}}}')
    assert main(["calibrate", *files, "--output", str(tmp_path / "fit.json")]) == 0
