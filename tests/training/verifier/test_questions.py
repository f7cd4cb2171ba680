"""Reading comprehension as pairs of passage and statement."""

from random import Random

import orjson
import pytest

from training.verifier.questions import question_pairs, stated

TUNNEL = "Anna Brandt led the revolt of 1640. Paul Weiss wrote its history in 1702. It cost 300 crowns."


def pairs(tmp_path, name, rows, seed=1):
    (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return list(question_pairs(tmp_path, Random(seed)))


def test_an_answer_stands_beside_a_wrong_one_of_its_form(tmp_path):
    rows = [{"passage": TUNNEL, "question": "Who led the revolt of 1640?", "answer": "Anna Brandt"}]
    found = {pair.label: pair for pair in pairs(tmp_path, "squad2_dev", rows)}
    assert found["supported"].statement.startswith(("Anna Brandt led", "Who led the revolt of 1640? Anna Brandt"))
    assert "Paul Weiss" in found["refuted"].statement
    assert found["supported"].group == found["refuted"].group


def test_an_open_question_leaves_any_answer_open(tmp_path):
    rows = [{"passage": TUNNEL, "question": "When did the king flee?", "answer": None}]
    (pair,) = pairs(tmp_path, "squad2_dev", rows)
    assert (pair.label, pair.kind) == ("not enough", "open question") and pair.statement[-5:-1] in {"1640", "1702"}


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_yes_and_no_are_supported_or_refuted(tmp_path, answer):
    rows = [{"passage": TUNNEL, "question": "did the revolt cost money", "answer": answer}]
    (pair,) = [one for one in pairs(tmp_path, "boolq", rows) if one.kind == "yes or no"]
    said = pair.statement.removeprefix("Did the revolt cost money? ").rstrip(".").lower()
    assert pair.label == ("supported" if said == answer else "refuted")


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Who wrote its history", "Paul Weiss", "Paul Weiss wrote its history."),
        ("How many museums does the town have", "Three", "How many museums does the town have? Three."),
        ("What was Iqbal studying", "law", "What was Iqbal studying? Law."),
        ("Which city is called the gate", "Halden", "Halden is called the gate."),
    ],
)
def test_only_questions_for_the_subject_become_sentences(question, answer, statement):
    assert stated(question, answer, Random(0)) == statement
