import json
from pathlib import Path
from typing import Any

import pytest
from submission_factories import result

from submission.files import SubmissionError
from submission.leaderboard import write_csv
from submission.predictions import predictions, write_json
from submission.reading import Gold, Predicted, read_claims, read_gold, read_predictions
from system.records import Label

OURS = [result(0, "First."), result(2, "Third.", Label.REFUTED)]


def _json(folder: Path, value: Any) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(value))
    return path


def test_our_predictions_keep_the_ids_of_their_claims(tmp_path: Path) -> None:
    write_json(predictions(OURS), tmp_path / "submission.json")
    assert read_predictions(tmp_path / "submission.json") == [
        Predicted(claim_id=0, claim="First.", label="Supported"),
        Predicted(claim_id=2, claim="Third.", label="Refuted"),
    ]


def test_a_csv_is_read_by_its_ids(tmp_path: Path) -> None:
    write_csv(predictions(OURS), tmp_path / "submission.csv")
    assert [one.claim_id for one in read_predictions(tmp_path / "submission.csv")] == [0, 1]


def test_the_organisers_json_may_lack_ids_and_have_more_fields(tmp_path: Path) -> None:
    path = _json(tmp_path, [{"claim": "A.", "pred_label": "maybe", "evidence": [], "llm_output": "..."}])
    assert read_predictions(path) == [Predicted(claim_id=0, claim="A.", label="maybe")]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["text"], "entry 0: expected an object"),
        ([{"claim_id": "x", "claim": "A.", "pred_label": "Refuted"}], "entry 0: 'claim_id': expected a whole number"),
        ([{"claim": None, "pred_label": "Refuted"}], "entry 0: 'claim': expected a text"),
        ([{"claim": "A."}], "entry 0: 'pred_label': expected a text, came None"),
    ],
)
def test_an_entry_that_is_no_prediction_is_named(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read_predictions(_json(tmp_path, value))


@pytest.mark.parametrize("cell", ["one", "1.5", ""])
def test_a_row_without_a_whole_number_as_id_is_named(tmp_path: Path, cell: str) -> None:
    (tmp_path / "file.csv").write_text(f"id,claim,evi,label\n{cell},A.,e,Refuted\n")
    with pytest.raises(SubmissionError, match=r"row 0 \(line 2\): 'id': expected a whole number"):
        read_predictions(tmp_path / "file.csv")


def test_the_id_of_a_gold_claim_is_its_index(tmp_path: Path) -> None:
    path = _json(
        tmp_path, [{"claim": "A.", "label": "Refuted", "questions": []}, {"claim": "A.", "label": "Supported"}]
    )
    assert read_gold(path) == [
        Gold(claim_id=0, claim="A.", label=Label.REFUTED),
        Gold(claim_id=1, claim="A.", label=Label.SUPPORTED),
    ]


@pytest.mark.parametrize("fields", [{}, {"label": "refuted"}, {"label": None}, {"label": ["Refuted"]}])
def test_gold_without_a_valid_label_is_refused(tmp_path: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(SubmissionError, match="claim 0: 'label': expected one of Supported, Refuted"):
        read_gold(_json(tmp_path, [{"claim": "A.", **fields}]))


def test_claims_are_read_from_json_and_from_a_gold_csv(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,claim,evi,label,split\n0,A.,e,Refuted,gold\n1,B.,e,Refuted,gold\n")
    assert read_claims(tmp_path / "solution.csv") == ["A.", "B."]
    assert read_claims(_json(tmp_path, [{"claim": "A."}, {"claim": "B."}])) == ["A.", "B."]
