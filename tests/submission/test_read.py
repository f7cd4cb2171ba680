"""Reading files, predictions of any system and gold, and pairing them."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from submission.files import SubmissionError, clean, read_text
from submission.official import join_evidence
from submission.read import Gold, claim_texts, pair, read_predictions, read_scored_gold
from submission.write import predictions, write_csv, write_json
from system.files.texts import FileError, repair, write_text
from system.graph.records import Label
from tests.helpers.submission_factories import HOSTILE, prediction, result

PAIRS = (("When did the bridge open?", "In 1932."),)
OURS = [result(0, "First."), result(2, "Third.", Label.REFUTED)]


def _json(folder: Path, value: Any) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(value))
    return path


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    write_text(path, "a\r\né")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_bytes() == "a\r\né".encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]
    with pytest.raises(FileError, match="cannot write"):
        write_text(path / "inside.txt", "text")


def test_a_byte_order_mark_is_dropped_and_other_bytes_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert read_text(tmp_path / "file") == "a\r\nb\r"
    (tmp_path / "file").write_bytes(b"one\ntwo \xff")
    with pytest.raises(SubmissionError, match="line 2: expected UTF-8, got byte 0xff"):
        read_text(tmp_path / "file")


@given(HOSTILE)
def test_clean_text_holds_no_separator_and_no_margin(text: str) -> None:
    cleaned = clean(text)
    assert not re.search(r"\t\t\n|\r|\0", cleaned)
    assert cleaned == cleaned.strip() == clean(cleaned) == repair(cleaned)


def test_clean_text_keeps_single_tabs_and_takes_linear_time() -> None:
    assert clean("year\tvisitors\n2019\t4") == "year\tvisitors\n2019\t4"
    begin = time.process_time()
    assert clean("a" + "\t" * 200_000 + "b") == "a" + "\t" * 200_000 + "b"
    assert time.process_time() - begin < 5  # a minute, if each tab began the search again


def test_our_predictions_keep_the_ids_of_their_claims_and_a_csv_has_its_own(tmp_path: Path) -> None:
    write_json(predictions(OURS), tmp_path / "submission.json")
    found = read_predictions(tmp_path / "submission.json")
    assert [(one.claim_id, one.claim, one.label, one.texts, one.confidence) for one in found] == [
        (0, "First.", "Supported", PAIRS, 0.75),
        (2, "Third.", "Refuted", PAIRS, 0.75),
    ]
    assert found[0].pairs[0].url == "https://example.org/bridge"
    write_csv(predictions(OURS), tmp_path / "submission.csv")
    rows = [(one.claim_id, one.texts) for one in read_predictions(tmp_path / "submission.csv")]
    assert rows == [(0, PAIRS), (1, PAIRS)]


def test_reads_other_systems_entries_without_ids_and_with_more_fields(tmp_path: Path) -> None:
    answers = [{"question": "q", "answer": "a", "url": None, "scraped_text": ["One.", "Two."], "score": 1}]
    entry = {"claim": "A.", "pred_label": "maybe", "evidence": answers, "llm_output": "...", "confidence": "high"}
    [one] = read_predictions(_json(tmp_path, [entry]))
    assert (one.claim_id, one.label, one.confidence, one.texts) == (0, "maybe", None, (("q", "a"),))
    assert (one.pairs[0].url, one.pairs[0].scraped_text) == ("", "One. Two.")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["text"], "entry 0: the entry: expected an object"),
        ([{"claim_id": "x", "claim": "A.", "pred_label": "Refuted"}], "entry 0: claim_id: expected a valid integer"),
        ([{"claim": None, "pred_label": "Refuted"}], "entry 0: claim: expected a valid string"),
        ([{"claim": "A."}], "entry 0: pred_label: expected a value, got none"),
        ({"a": 1}, "expected a JSON array, got dict"),
    ],
)
def test_names_an_entry_that_is_not_a_prediction(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read_predictions(_json(tmp_path, value))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1,\n2", "line 2, column 2: expected a JSON array"),
        ("[" * 5000, "expected a JSON array, got one that is too large to read"),
        ("[" + "7" * 5000 + "]", "expected a JSON array, got one that is too large to read"),
    ],
    ids=["cut off", "nested too deeply", "digits"],
)
def test_unreadable_json_is_an_error_that_names_the_file(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "file.json").write_text(content)
    with pytest.raises(SubmissionError, match=rf"file.json: {message}"):
        read_predictions(tmp_path / "file.json")


@pytest.mark.parametrize("cell", ["one", "1.5", ""])
def test_names_a_row_without_a_whole_number_as_id(tmp_path: Path, cell: str) -> None:
    (tmp_path / "file.csv").write_text(f"id,claim,evi,label\n{cell},A.,e,Refuted\n")
    with pytest.raises(SubmissionError, match=r"row 0 \(line 2\): 'id': expected an integer"):
        read_predictions(tmp_path / "file.csv")


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


def test_gold_has_a_pair_for_each_answer_in_json_as_in_the_csv(tmp_path: Path) -> None:
    entry = {"claim": "A.", "label": "Refuted", "questions": QUESTIONS}
    pairs = (("Did it?", "Yes. It did."), ("Did it?", "It may have."), ("When?", "No answer could be found."))
    assert read_scored_gold(_json(tmp_path, [entry])) == [
        Gold(claim_id=0, claim="A.", label=Label.REFUTED, pairs=pairs)
    ]
    (tmp_path / "gold.csv").write_text(f'id,claim,evi,label,split\n7,A.,"{join_evidence(pairs)}",Refuted,gold\n')
    assert read_scored_gold(tmp_path / "gold.csv") == [Gold(claim_id=7, claim="A.", label=Label.REFUTED, pairs=pairs)]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"questions": ["When?"]}, "claim 0: expected an object with a label, and questions"),
        ({"questions": [{"answers": []}]}, "claim 0: .*'question'"),
        ({"questions": [{"question": "When?", "answers": [{"answer": None}]}]}, "claim 0: .*'strip'"),
        ({"claim_types": "text"}, r"file.json: claim 0: types"),
        ({"label": "refuted"}, "claim 0: label: expected 'Supported', 'Refuted'"),
        ({"label": None}, "claim 0: label: expected 'Supported', 'Refuted'"),
    ],
)
def test_names_fields_of_gold_of_another_form(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read_scored_gold(_json(tmp_path, [{"claim": "A.", "label": "Refuted", **fields}]))


@pytest.mark.data
def test_gold_in_json_and_in_the_organizers_csv_are_the_same(shared: Path) -> None:
    from_json = read_scored_gold(shared / "data/averitec/dev.json")
    from_csv = read_scored_gold(shared / "data/fever8/solution_dev.csv")
    assert from_json == from_csv


def test_reads_claims_from_json_and_from_any_table(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,claim,evi,label,split\n0,A.,e,Refuted,gold\n1,B.,e,Refuted,gold\n")
    (tmp_path / "claims.csv").write_text("id;claim\n7;A.\n3;B.\n")
    paths = [tmp_path / "solution.csv", tmp_path / "claims.csv", _json(tmp_path, [{"claim": "A."}, {"claim": "B."}])]
    assert [claim_texts(path) for path in paths] == [["A.", "B."]] * 3


GOLD = [
    Gold(claim_id=n, claim=text, label=Label.REFUTED) for n, text in enumerate(["Same.", "Same.", "Other.", "Last."])
]


def test_pairs_agree_in_id_and_text_whatever_the_order() -> None:
    texts = {9: "Nowhere.", 2: "Shifted.", 1: " Same.\n"}
    pairing = pair([prediction(number, text, "Refuted") for number, text in texts.items()], GOLD)
    assert [(one.predicted.claim_id, one.gold.claim_id) for one in pairing.pairs] == [(1, 1)]
    assert [one.gold.claim_id for one in pairing.mismatched] == [2]
    assert [claim.claim_id for claim in pairing.missing] == [0, 3]
    assert [one.claim_id for one in pairing.extra] == [9]


def test_rejects_two_predictions_of_one_claim_and_files_that_share_none() -> None:
    with pytest.raises(SubmissionError, match="claim 1 has two predictions"):
        pair([prediction(1, "Same.", "Refuted"), prediction(1, "Same.", "Refuted")], GOLD)
    with pytest.raises(SubmissionError, match="none of 1 predictions matches one of 4 gold claims by id and text"):
        pair([prediction(0, "Shifted.", "Refuted")], GOLD)
