"""The gold side: real annotations, null fields, and files that have none."""

import json

import pytest
from report_factories import gold_item, write_gold

from submission.files import SubmissionError
from submission.report.annotation import annotations_if_any, read_annotations


def test_null_fields_are_empty_and_unanswerable_questions_no_evidence(tmp_path):
    (claim,) = read_annotations(write_gold(tmp_path / "gold.json", [gold_item(justification=None)]))
    assert claim.justification == ""
    assert [answer.answer for answer in claim.evidence] == ["In 1932"]


def test_a_mere_yes_comes_with_its_explanation(tmp_path):
    answer = {"answer": "No", "answer_type": "Boolean", "boolean_explanation": "It was rebuilt.", "source_url": ""}
    questions = [{"question": "Is it old?", "answers": [answer]}]
    (claim,) = read_annotations(write_gold(tmp_path / "gold.json", [gold_item(questions=questions)]))
    assert next(claim.evidence).text == "No. It was rebuilt."


def test_a_claim_without_a_label_is_named(tmp_path):
    path = write_gold(tmp_path / "gold.json", [gold_item(), gold_item(label="Perhaps")])
    with pytest.raises(SubmissionError, match="claim 1: label"):
        read_annotations(path)


@pytest.mark.parametrize("text", ['{"claim": "A"}\n{"claim": "B"}\n', "Just a claim.\n", json.dumps([{"claim": "A"}])])
def test_claims_without_labels_have_no_annotations(tmp_path, text):
    path = tmp_path / "claims.json"
    path.write_text(text, encoding="utf-8")
    assert annotations_if_any(path) == []
    assert annotations_if_any(tmp_path / "gone.json") == []


@pytest.mark.data
def test_the_real_splits_are_read(shared):
    claims = read_annotations(shared / "data" / "averitec" / "dev.json")
    assert len(claims) == 500
    assert sum(1 for claim in claims for _ in claim.evidence) > 1000
