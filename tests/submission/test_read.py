"""Reading files, predictions of any system and gold."""

import json
import re
import time

import pytest
from hypothesis import given

from submission.files import SubmissionError, clean, read_text
from submission.official import join_evidence
from submission.read import Gold, claim_texts, read_predictions, read_scored_gold
from system.files.texts import FileError, repair, write_text
from system.graph.records import ClaimsError, Label
from tests.helpers.submission_factories import HOSTILE


@pytest.fixture
def file(tmp_path):
    """Write a value as JSON, or a text as it is."""

    def write(value, name="file.json"):
        (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value))
        return tmp_path / name

    return write


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "file.txt"
    write_text(path, "a\r\né")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_bytes() == "a\r\né".encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]
    with pytest.raises(FileError, match="cannot write"):
        write_text(path / "inside.txt", "text")


def test_a_byte_order_mark_is_dropped_and_other_bytes_are_named(tmp_path):
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert read_text(tmp_path / "file") == "a\r\nb\r"
    (tmp_path / "file").write_bytes(b"one\ntwo \xff")
    with pytest.raises(SubmissionError, match="line 2: expected UTF-8, got byte 0xff"):
        read_text(tmp_path / "file")


@given(HOSTILE)
def test_clean_text_holds_no_separator_and_no_margin(text):
    cleaned = clean(text)
    assert not re.search(r"\t\t\n|\r|\0", cleaned)
    assert cleaned == cleaned.strip() == clean(cleaned) == repair(cleaned)


def test_clean_text_keeps_single_tabs_and_takes_linear_time():
    assert clean("year\tvisitors\n2019\t4") == "year\tvisitors\n2019\t4"
    begin = time.process_time()
    assert clean("a" + "\t" * 200_000 + "b") == "a" + "\t" * 200_000 + "b"
    assert time.process_time() - begin < 5  # a minute, if each tab began the search again


def test_reads_other_systems_entries_without_ids_and_with_more_fields(file):
    answers = [{"question": "q", "answer": "a", "url": None, "scraped_text": ["One.", "Two."], "score": 1}]
    entry = {"claim": "A.", "pred_label": "maybe", "evidence": answers, "llm_output": "...", "confidence": "high"}
    [one] = read_predictions(file([entry]))
    assert (one.claim_id, one.label, one.confidence, one.texts) == (0, "maybe", None, (("q", "a"),))
    assert (one.pairs[0].url, one.pairs[0].scraped_text) == ("", "One. Two.")


QUESTION = {"question": "When?", "answers": [{"answer": "In 1932."}]}
ENTRY = {"claim": "A.", "pred_label": "Refuted"}
GOLD_OF_ONE = {"claim": "A.", "label": "Refuted", "questions": [QUESTION]}


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (read_predictions, ["text"], "entry 0: the entry: expected an object"),
        (read_predictions, [ENTRY | {"claim_id": "x"}], "entry 0: claim_id: expected a valid integer"),
        (read_predictions, [ENTRY | {"claim": None}], "entry 0: claim: expected a valid string"),
        (read_predictions, [{"claim": "A."}], "entry 0: pred_label: expected a value, got none"),
        (read_predictions, {"a": 1}, "expected a JSON array, got dict"),
        (read_predictions, "[1,\n2", r"file.json: expected a JSON array, got an error: .* line 2 column 2"),
        (read_predictions, "[" * 5000, "file.json: expected a JSON array, got an error: .*recursion"),
        (read_predictions, "[" + "7" * 5000 + "]", "file.json: expected a JSON array, got an error: .*digits"),
        (read_scored_gold, [GOLD_OF_ONE | {"questions": ["When?"]}], "claim 0: expected an object with a label, and"),
        (read_scored_gold, [GOLD_OF_ONE | {"questions": [QUESTION | {"answers": [{"answer": None}]}]}], "0: .*'strip'"),
        (read_scored_gold, [GOLD_OF_ONE | {"label": "refuted"}], "claim 0: label: expected 'Supported', 'Refuted'"),
    ],
)
def test_names_a_field_of_another_form(file, read, value, message):
    with pytest.raises((SubmissionError, ClaimsError), match=message):
        read(file(value))


@pytest.mark.parametrize("cell", ["one", "1.5", ""])
def test_names_a_row_without_a_whole_number_as_id(file, cell):
    path = file(f"id,claim,evi,label\n{cell},A.,e,Refuted\n", "file.csv")
    with pytest.raises(SubmissionError, match=r"row 0 \(line 2\): 'id': expected an integer"):
        read_predictions(path)


@pytest.mark.parametrize(
    "evidence",
    [None, "q", ["q"], [{"question": "q"}], [{"question": "q", "answer": "a"}, {"question": "q", "answer": None}]],
)
def test_evidence_of_another_form_counts_as_none(file, evidence):
    assert read_predictions(file([{"claim": "A.", "pred_label": "Refuted", "evidence": evidence}]))[0].pairs == ()
    path = file("id,claim,evi,label\n0,A.,no separators,Refuted\n", "file.csv")
    assert read_predictions(path)[0].pairs == ()


def test_gold_has_a_pair_for_each_answer_in_json_as_in_the_csv(file):
    answers = [
        {"answer": "Yes", "answer_type": "Boolean", "boolean_explanation": "It did."},
        {"answer": "It may have.", "answer_type": "Abstractive", "boolean_explanation": "Of no meaning here."},
    ]
    questions = [{"question": "Did it?", "answers": answers}, {"question": "When?", "answers": []}]
    pairs = (("Did it?", "Yes. It did."), ("Did it?", "It may have."), ("When?", "No answer could be found."))
    expected = Gold(claim_id=0, claim="A.", label=Label.REFUTED, pairs=pairs)
    assert read_scored_gold(file([GOLD_OF_ONE | {"questions": questions}])) == [expected]
    path = file(f'id,claim,evi,label,split\n7,A.,"{join_evidence(pairs)}",Refuted,gold\n', "gold.csv")
    assert read_scored_gold(path) == [expected.model_copy(update={"claim_id": 7})]


@pytest.mark.data
def test_gold_in_json_and_in_the_organizers_csv_are_the_same(shared):
    from_json = read_scored_gold(shared / "data/averitec/dev.json")
    assert from_json == read_scored_gold(shared / "data/fever8/solution_dev.csv")


def test_reads_claims_from_json_and_from_any_table(file):
    paths = [
        file("id,claim,evi,label,split\n0,A.,e,Refuted,gold\n1,B.,e,Refuted,gold\n", "solution.csv"),
        file("id;claim\n7;A.\n3;B.\n", "claims.csv"),
        file([{"claim": "A."}, {"claim": "B."}]),
    ]
    assert [claim_texts(path) for path in paths] == [["A.", "B."]] * 3
