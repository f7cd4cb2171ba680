"""Every trap of the official scorer, with pandas as the witness of what it does."""

import json
import math
from io import StringIO

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES

from submission.__main__ import main
from submission.files import SubmissionError
from submission.official import MISSING, join_evidence, read_table, split_evidence
from submission.read import claim_texts
from submission.validate import Effect, changes_score, validate
from tests.helpers.official_reference import official_convert, official_run

CRASH, WRONG, HARMLESS = Effect
HEADER = "id,claim,evi,label,split"
CLAIMS = ["Claim zero.", "Claim one.", "Claim two."]
LABELS = ["Supported", "Refuted", "Not Enough Evidence"]
PAIR = "q\t\t\na\t\t\n\n"


def row(number, **cells):
    known = {"id": str(number), "claim": CLAIMS[number], "evi": PAIR, "label": LABELS[number], "split": "pred", **cells}
    return list(known.values())


def text_of(rows):
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in cells) for cells in rows)
    return "\n".join([HEADER, *quoted]) + "\n"


def changed(**cells):
    """A sound submission but for cells of its second row."""
    return text_of([row(0), row(1, **cells), row(2)])


def only(*numbers):
    return text_of([row(number) for number in numbers])


def without(column):
    return pd.read_csv(StringIO(only(0, 1, 2)), dtype=str).drop(columns=column).to_csv(index=False)


CRASHES = {
    "empty evidence": changed(evi=""),
    "evidence that reads as missing": changed(evi="NA"),
    "null-like evidence": changed(evi="null"),
    "evidence without separators": changed(evi="only prose"),
    "an answer that starts with a newline": changed(evi="q\t\t\n\na\t\t\n\n"),
    "the separator inside an answer": changed(evi="q\t\t\na\t\t\nb\t\t\n\n"),
    "the end of a pair inside an answer": changed(evi="q\t\t\na\t\t\n\nb\t\t\n\n"),
    "CRLF separators": changed(evi="q\t\t\r\na\t\t\r\n\r\n"),
    "a duplicate id": only(0, 1, 1, 2),
    "string ids": changed(id="one"),
    "no rows": HEADER + "\n",
    "no file content": "",
    "no column id": without("id"),
    "no column claim": without("claim"),
    "no column evi": without("evi"),
    "no column label": without("label"),
    "a row with a cell too many": text_of([row(0), [*row(1), "more"], row(2)]),
    "cells too many in every row": text_of([[*row(n), "more"] for n in range(3)]),
    "an open quote": only(0, 1) + '2,"Claim two.',
    "a row without evidence": only(0, 1) + "2,Claim two.\n",
}
WRONGS = {
    "a label in another case": changed(label="refuted"),
    "a label with a trailing space": changed(label="Refuted "),
    "no label": changed(label=""),
    "a missing row": only(0, 2),
    "a missing last row": only(0, 1),
    "a missing id": changed(id=""),
    "a duplicate id in place of another": only(0, 0, 2),
    "ids from 1": text_of([row(number, id=str(number + 1)) for number in range(3)]),
    "ids of two claims exchanged": text_of([row(0, id="1"), row(1, id="0"), row(2)]),
    "evidence without a pair": changed(evi="\t\t\n\n"),
}
HARMLESSES = {
    "CRLF inside an answer": changed(evi="q\t\t\na\r\nb\t\t\n\n"),
    "NUL inside an answer": changed(evi="q\t\t\na\0b\t\t\n\n"),
    "an empty question": changed(evi="\t\t\na\t\t\n\n"),
    "an empty answer": changed(evi="q\t\t\n\t\t\n\n"),
    "shuffled rows": only(2, 0, 1),
    "more than ten pairs": changed(evi=PAIR * 11),
    "a row that gold does not have": only(0, 1, 2) + f'3,Another claim.,"{PAIR}",Refuted,pred\n',
    "a row without evidence that gold does not have": only(0, 1, 2) + "3,Another claim.,,Refuted,pred\n",
}
SOUND = {
    "no column split": without("split"),
    "nothing": only(0, 1, 2),
    "single tabs": changed(evi="q\t\t\na\tb\t\nc\t\t\n\n"),
    "ids as decimals": text_of([row(number, id=f"{number}.0") for number in range(3)]),
    "CRLF between rows": HEADER + "\r\n" + "".join(f'{n},{CLAIMS[n]},"{PAIR}",{LABELS[n]},pred\r\n' for n in range(3)),
    "the last pair's terminator missing": changed(evi="q\t\t\na"),
    "a byte order mark and blank lines": "\ufeff" + only(0, 1, 2).replace("\n0", "\n\n0"),
}


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "solution.csv"
    path.write_text(only(0, 1, 2).replace("pred", "gold"), newline="")
    return path


@pytest.fixture
def checked(tmp_path):
    """Validate the text of a file."""

    def check(text, claims=CLAIMS, name="submission.csv"):
        (tmp_path / name).write_text(text, newline="")
        return validate(tmp_path / name, claims)

    return check


def outcome(submission, gold):
    """The official scorer's way: stop, or score a claim with another's row or with a wrong label, or neither."""
    try:
        scored = official_run(submission, gold)
    except Exception:  # noqa: BLE001 - whatever stops pandas or the scorer
        return CRASH
    expected = [(claim, True, True) for claim in CLAIMS]
    return None if [(claim, bool(pairs), right) for claim, pairs, right in scored] == expected else WRONG


def worst(faults):
    return next((effect for effect in Effect if any(fault.effect is effect for fault in faults)), None)


TRAPS = {CRASH: CRASHES, WRONG: WRONGS, HARMLESS: HARMLESSES, None: SOUND}


@pytest.mark.parametrize(
    ("text", "effect"),
    [pytest.param(text, effect, id=name) for effect, traps in TRAPS.items() for name, text in traps.items()],
)
def test_a_trap_has_the_effect_that_the_official_scorer_shows(tmp_path, gold, checked, text, effect):
    assert worst(checked(text)) is effect
    assert outcome(tmp_path / "submission.csv", gold) is (None if effect is HARMLESS else effect)


@pytest.mark.parametrize(
    ("text", "claims", "messages"),
    [
        (only(1), CLAIMS, ["id 0 is missing; every later row", "id 2 is missing; the mean is taken over fewer claims"]),
        (only(0, 1), None, []),  # without claims, the highest id is taken for the last
        (only(0, 2), None, ["id 1 is missing; every later row is scored against an earlier claim"]),
        (changed(label="refuted"), CLAIMS, ["the label 'refuted' counts as wrong; did you mean 'Refuted'?"]),
        (changed(evi="null"), CLAIMS, ["the evidence 'null' reads as a missing value"]),
        (changed(evi="no separators"), CLAIMS, ["pair 0 ('no separators') has no answer: its separator is missing"]),
        (changed(evi="q\t\t\na\t\t\nb\t\t\n\n"), CLAIMS, ["pair 0 ('q\\t\\t\\na\\t\\t\\nb') holds the separator"]),
        (changed(evi=f"{PAIR}r\t\t\n\nb"), CLAIMS, ["pair 1 ('r') has no answer: its separator is missing, or"]),
        (changed(evi="q\t\t\r\n"), CLAIMS, ["pair 0 ('q\\t\\t\\r\\n') has no answer: the separators end in CRLF"]),
    ],
)
def test_names_a_fault_and_its_effect(checked, text, claims, messages):
    found = [fault.message for fault in checked(text, claims)]
    assert len(found) == len(messages)
    assert all(one.startswith(message) for one, message in zip(found, messages, strict=True)), found


def entry(number, **changes):
    evidence = [{"question": "q", "answer": "a", "url": "u"}]
    known = {"claim_id": number, "claim": CLAIMS[number], "evidence": evidence, "pred_label": LABELS[number], **changes}
    return {key: value for key, value in known.items() if value is not ...}


def entries(**changes):
    return [entry(0), entry(1, **changes), entry(2)]


JSON_CASES = {
    "nothing": (entries(), None),
    "no claim_id": (entries(claim_id=...), None),
    "no evidence": (entries(evidence=[]), CRASH),
    "no field evidence": (entries(evidence=...), CRASH),
    "evidence null": (entries(evidence=None), CRASH),
    "a pair without an answer": (entries(evidence=[{"question": "q"}]), CRASH),
    "a pair that is a text": (entries(evidence=["q"]), CRASH),
    "an answer that starts with a newline": (entries(evidence=[{"question": "q", "answer": "\na"}]), CRASH),
    "a lone surrogate": (entries(evidence=[{"question": "q", "answer": "\ud800"}]), CRASH),
    "no entries": ([], CRASH),
    "an object at the top": ({"0": entry(0)}, CRASH),
    "a label in another case": (entries(pred_label="REFUTED"), WRONG),
    "a missing entry": ([entry(0), entry(2)], WRONG),
    "a missing last entry": ([entry(0), entry(1)], WRONG),
    "shuffled entries": ([entry(2), entry(0), entry(1)], WRONG),
    "more than ten pairs": (entries(evidence=[{"question": "q", "answer": "a"}] * 11), HARMLESS),
}


@pytest.mark.parametrize(("value", "effect"), JSON_CASES.values(), ids=JSON_CASES.keys())
def test_predictions_in_json_have_the_effect_of_their_conversion(tmp_path, gold, checked, value, effect):
    assert worst(checked(json.dumps(value), name="predictions.json")) is effect
    try:
        official_convert(tmp_path / "predictions.json", tmp_path / "converted.csv")
        found = outcome(tmp_path / "converted.csv", gold)
    except Exception:  # noqa: BLE001 - whatever stops the converter
        found = CRASH
    assert found is (None if effect is HARMLESS else effect)


def test_names_a_misplaced_entry_by_claim_id_without_claims(checked):
    [fault] = checked(json.dumps([entry(0), entry(2)]), None, "predictions.json")
    assert (fault.where, fault.effect) == ("entry 1", WRONG)
    assert "has claim_id 2, but is at position 1" in fault.message


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        (only(0, 1, 2), 0, "no faults"),
        (changed(label="refuted"), 1, "gives wrong scores without an error: row 1 (line 6): the label 'refuted'"),
        (changed(evi="q\t\t\n\t\t\n\n"), 0, "1 × harmless"),
    ],
)
def test_faults_are_printed_and_only_harmful_ones_fail(tmp_path, text, status, message, capsys):
    (tmp_path / "submission.csv").write_text(text, newline="")
    (tmp_path / "claims.json").write_text(json.dumps([{"claim": claim} for claim in CLAIMS]))
    claims = ["--claims", str(tmp_path / "claims.json")]
    assert main(["validate", str(tmp_path / "submission.csv"), *claims]) == status
    assert message in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "none.csv"), *claims]) == 2
    assert "not found; expected submission" in " ".join(capsys.readouterr().err.split())


@pytest.mark.data
def test_the_organizers_own_files_have_no_faults(shared):
    claims = claim_texts(shared / "data/averitec/dev.json")
    assert validate(shared / "data/fever8/baseline_submission.csv", claims) == []
    assert not changes_score(validate(shared / "data/fever8/solution_dev.csv", claims))


PLAIN = st.text(st.characters(exclude_characters="\t\n"), max_size=8)


@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=5))
def test_splitting_undoes_joining(pairs):
    assert split_evidence(join_evidence(pairs)) == pairs


def test_missing_values_are_those_of_pandas():
    assert set(STR_NA_VALUES) == MISSING


FILES = [
    'id,claim,evi,label,split\n0,"a ""b"", c","x\r\ny\n\nz",Refuted,pred\n',
    "id,claim,evi,label,split\r\n\r\n  \r\n0,c,e,R,pred\r\n\r\n1,d,f,S,pred",
    "\ufeffid,claim,evi,label\n1,c,e,R\n0,NA,,S\n",
    "id,claim,evi,label,split\n0,c\n1,d,e,R,pred\n",
    "label,evi,claim,id\nR,e,c, 3\nS,f,d,1e1\nS,f,d,\n",
    "id,claim,evi,label,label\n0,c,e,first,second\n",
    "id,claim,evi,label\n0,c,a\0b,R\n",
]


@pytest.mark.parametrize("text", FILES)
def test_reads_a_table_as_pandas_reads_it(tmp_path, text):
    path = tmp_path / "file.csv"
    path.write_text(text, newline="")
    reference = pd.read_csv(path)
    rows = read_table(path)
    assert [one.id for one in rows] == pytest.approx(reference["id"].tolist(), nan_ok=True)
    for ours, column in (("claim", "claim"), ("evidence", "evi"), ("label", "label")):
        cells = reference[column].fillna("").tolist()
        assert ["" if (cell := getattr(one, ours)) in MISSING else cell for one in rows] == cells


def test_rows_know_their_place_and_ids_are_numbers_missing_or_text(tmp_path):
    (tmp_path / "file.csv").write_text(f'{HEADER}\n\n2.0,"two\nlines"\nNA,b\nseven,c\n1_0,d\n')
    rows = read_table(tmp_path / "file.csv")
    assert [one.where for one in rows[:2]] == ["row 0 (line 3)", "row 1 (line 5)"]
    ids = [one.id for one in rows]
    assert ids[0] == 2 and isinstance(ids[1], float) and math.isnan(ids[1]) and ids[2:] == ["seven", "1_0"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected the columns id, claim, evi, label, split separated by commas, got ''"),
        (b"id;claim;evi;label\n0;a;e;R\n", "by commas, got 'id;claim;evi;label' separated by semicolons"),
        (b'"id";"claim";"evi";"label"\n0;"a ""b"" c";e;R\n', "separated by semicolons"),
        (b"id\tclaim\tevi\tlabel\n0\ta, b\te\tR\n", "separated by tabs"),
        (b"id|claim|evi|label\n", "separated by vertical bars"),
        (b"sep=;\nid;claim;evi;label\n", "separated by semicolons"),
        (b"id,claim,evi,label\n0,a,e,R,more\n", r"row 0 \(line 2\) has 5 cells, expected 4"),
        (b'id,claim,evi,label\n0,a\n1,"b\n', "the row at line 3 is not valid CSV"),
        (b"id,claim,evi,label\n0,\xff\n", "line 2: expected UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, data, message):
    (tmp_path / "file.csv").write_bytes(data)
    with pytest.raises(SubmissionError, match=message):
        read_table(tmp_path / "file.csv")
