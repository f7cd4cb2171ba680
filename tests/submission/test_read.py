import json
from pathlib import Path
from typing import Any

import pytest

from submission.files import SubmissionError
from submission.official import join_evidence
from submission.read import Gold, annotations_if_any, claim_texts, pair, read_predictions, read_scored_gold
from submission.write import predictions, write_csv, write_json
from system.graph.records import Label
from tests.helpers.submission_factories import prediction, result

PAIRS = (("When did the bridge open?", "In 1932."),)
OURS = [result(0, "First."), result(2, "Third.", Label.REFUTED)]


def _json(folder: Path, value: Any) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(value))
    return path


def test_our_predictions_keep_the_ids_of_their_claims(tmp_path: Path) -> None:
    write_json(predictions(OURS), tmp_path / "submission.json")
    found = read_predictions(tmp_path / "submission.json")
    assert [(one.claim_id, one.claim, one.label, one.texts, one.confidence) for one in found] == [
        (0, "First.", "Supported", PAIRS, 0.75),
        (2, "Third.", "Refuted", PAIRS, 0.75),
    ]
    assert found[0].pairs[0].url == "https://example.org/bridge"


def test_a_csv_is_read_by_its_ids(tmp_path: Path) -> None:
    write_csv(predictions(OURS), tmp_path / "submission.csv")
    assert [(one.claim_id, one.texts) for one in read_predictions(tmp_path / "submission.csv")] == [
        (0, PAIRS),
        (1, PAIRS),
    ]


def test_reads_organizers_json_without_ids_and_with_more_fields(tmp_path: Path) -> None:
    path = _json(tmp_path, [{"claim": "A.", "pred_label": "maybe", "evidence": [], "llm_output": "..."}])
    assert read_predictions(path) == [prediction(0, "A.", "maybe")]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["text"], "entry 0: the entry: expected an object"),
        ([{"claim_id": "x", "claim": "A.", "pred_label": "Refuted"}], "entry 0: claim_id: expected a valid integer"),
        ([{"claim": None, "pred_label": "Refuted"}], "entry 0: claim: expected a valid string"),
        ([{"claim": "A."}], "entry 0: pred_label: expected a value, got none"),
    ],
)
def test_names_an_entry_that_is_not_a_prediction(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read_predictions(_json(tmp_path, value))


@pytest.mark.parametrize("cell", ["one", "1.5", ""])
def test_names_a_row_without_a_whole_number_as_id(tmp_path: Path, cell: str) -> None:
    (tmp_path / "file.csv").write_text(f"id,claim,evi,label\n{cell},A.,e,Refuted\n")
    with pytest.raises(SubmissionError, match=r"row 0 \(line 2\): 'id': expected an integer"):
        read_predictions(tmp_path / "file.csv")


def test_the_id_of_a_gold_claim_is_its_index(tmp_path: Path) -> None:
    path = _json(
        tmp_path, [{"claim": "A.", "label": "Refuted", "questions": []}, {"claim": "A.", "label": "Supported"}]
    )
    assert read_scored_gold(path) == [
        Gold(claim_id=0, claim="A.", label=Label.REFUTED),
        Gold(claim_id=1, claim="A.", label=Label.SUPPORTED),
    ]


@pytest.mark.parametrize(
    "evidence",
    [None, "q", ["q"], [{"question": "q"}], [{"question": "q", "answer": "a"}, {"question": "q", "answer": None}]],
)
def test_evidence_of_another_form_counts_as_none(tmp_path: Path, evidence: Any) -> None:
    path = _json(tmp_path, [{"claim": "A.", "pred_label": "Refuted", "evidence": evidence}])
    assert read_predictions(path)[0].pairs == ()
    (tmp_path / "file.csv").write_text("id,claim,evi,label\n0,A.,no separators,Refuted\n")
    assert read_predictions(tmp_path / "file.csv")[0].pairs == ()


QUESTIONS = [
    {
        "question": "Did it?",
        "answers": [
            {"answer": "Yes", "answer_type": "Boolean", "boolean_explanation": "It did."},
            {"answer": "It may have.", "answer_type": "Abstractive", "boolean_explanation": "Of no meaning here."},
        ],
    },
    {"question": "When?", "answers": []},
]


def test_reads_claims_from_any_table(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text("id;claim\n7;A.\n3;B.\n")
    assert claim_texts(tmp_path / "claims.csv") == ["A.", "B."]


def test_gold_has_a_pair_for_each_answer_in_json_as_in_the_csv(tmp_path: Path) -> None:
    entry = {"claim": "A.", "label": "Refuted", "questions": QUESTIONS, "claim_types": ["Causal Claim"]}
    pairs = (("Did it?", "Yes. It did."), ("Did it?", "It may have."), ("When?", "No answer could be found."))
    assert read_scored_gold(_json(tmp_path, [entry])) == [
        Gold(claim_id=0, claim="A.", label=Label.REFUTED, pairs=pairs, types=("Causal Claim",))
    ]
    evidence = join_evidence(list(pairs))
    (tmp_path / "gold.csv").write_text(f'id,claim,evi,label,split\n7,A.,"{evidence}",Refuted,gold\n')
    assert read_scored_gold(tmp_path / "gold.csv") == [Gold(claim_id=7, claim="A.", label=Label.REFUTED, pairs=pairs)]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("questions", ["When?"], "claim 0: expected an object with a label, and questions"),
        ("questions", [{"answers": []}], "claim 0: .*'question'"),
        ("questions", [{"question": "When?", "answers": [{"answer": None}]}], "claim 0: .*'strip'"),
        ("claim_types", "text", r"file.json: claim 0: types"),
        ("claim_types", [1], r"file.json: claim 0: types"),
    ],
)
def test_names_fields_of_gold_of_another_form(tmp_path: Path, field: str, value: Any, message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read_scored_gold(_json(tmp_path, [{"claim": "A.", "label": "Refuted", field: value}]))


@pytest.mark.data
def test_gold_in_json_and_in_the_organizers_csv_are_the_same(shared: Path) -> None:
    from_json = read_scored_gold(shared / "data/averitec/dev.json")
    from_csv = read_scored_gold(shared / "data/fever8/solution_dev.csv")
    assert [gold.model_copy(update={"types": ()}) for gold in from_json] == from_csv
    assert {name for gold in from_json for name in gold.types} >= {"Numerical Claim", "Quote Verification"}


@pytest.mark.parametrize("fields", [{}, {"label": "refuted"}, {"label": None}, {"label": ["Refuted"]}])
def test_rejects_gold_without_a_valid_label(tmp_path: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(SubmissionError, match="claim 0: label: expected 'Supported', 'Refuted'"):
        read_scored_gold(_json(tmp_path, [{"claim": "A.", **fields}]))


def test_reads_claims_from_json_and_from_a_gold_csv(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,claim,evi,label,split\n0,A.,e,Refuted,gold\n1,B.,e,Refuted,gold\n")
    assert claim_texts(tmp_path / "solution.csv") == ["A.", "B."]
    assert claim_texts(_json(tmp_path, [{"claim": "A."}, {"claim": "B."}])) == ["A.", "B."]


def test_half_a_surrogate_pair_becomes_text_that_can_be_written(tmp_path: Path) -> None:
    pair = {"question": "\ud800", "answer": "\udc00"}
    one = read_predictions(_json(tmp_path, [{"claim": "A\ud800.", "pred_label": "x", "evidence": [pair]}]))[0]
    assert (one.claim, one.texts) == ("A\ufffd.", (("\ufffd", "\ufffd"),))


@pytest.mark.parametrize("text", ['{"claim": "A"}\n{"claim": "B"}\n', "Just a claim.\n", json.dumps([{"claim": "A"}])])
def test_claims_without_labels_have_no_annotations(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.jsonl" if text.startswith("{") else tmp_path / "claims.txt"
    path.write_text(text, encoding="utf-8")
    assert annotations_if_any(path) == []
    assert annotations_if_any(tmp_path / "gone.json") == []


@pytest.mark.parametrize("content", ["[" * 5000, "[" + "7" * 5000 + "]"], ids=["nested too deeply", "digits"])
def test_unreadable_json_is_an_error_that_names_the_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(SubmissionError, match=r"file.json: expected a JSON array, got one that is too large to read"):
        read_predictions(path)


GOLD = [
    Gold(claim_id=n, claim=text, label=Label.REFUTED) for n, text in enumerate(["Same.", "Same.", "Other.", "Last."])
]


def test_pairs_agree_in_id_and_text_whatever_the_order() -> None:
    pairing = pair(
        [
            prediction(9, "Nowhere.", "Refuted"),
            prediction(2, "Shifted.", "Refuted"),
            prediction(1, " Same.\n", "Refuted"),
        ],
        GOLD,
    )
    assert [(one.predicted.claim_id, one.gold.claim_id) for one in pairing.pairs] == [(1, 1)]
    assert [one.gold.claim_id for one in pairing.mismatched] == [2]
    assert [claim.claim_id for claim in pairing.missing] == [0, 3]
    assert [one.claim_id for one in pairing.extra] == [9]


def test_rejects_two_predictions_of_one_claim() -> None:
    with pytest.raises(SubmissionError, match="claim 1 has two predictions"):
        pair([prediction(1, "Same.", "Refuted"), prediction(1, "Same.", "Refuted")], GOLD)


def test_rejects_files_that_share_no_claim() -> None:
    with pytest.raises(SubmissionError, match="none of 1 predictions matches one of 4 gold claims by id and text"):
        pair([prediction(0, "Shifted.", "Refuted")], GOLD)
