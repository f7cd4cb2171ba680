"""Every trap of the official scorer, with pandas as the witness of what it does."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES

from submission.__main__ import main
from submission.files import SubmissionError
from submission.official import MISSING, UnreadableEvidence, join_evidence, read_table, split_evidence
from submission.read import claim_texts
from submission.validate import Effect, Fault, changes_score, validate
from tests.helpers.official_reference import official_convert, official_run

HEADER = "id,claim,evi,label,split"
CLAIMS = ["Claim zero.", "Claim one.", "Claim two."]
LABELS = ["Supported", "Refuted", "Not Enough Evidence"]
PAIR = "q\t\t\na\t\t\n\n"


def _row(number: int, **cells: str) -> list[str]:
    row = {"id": str(number), "claim": CLAIMS[number], "evi": PAIR, "label": LABELS[number], "split": "pred", **cells}
    return list(row.values())


def _text(rows: list[list[str]], header: str = HEADER) -> str:
    def quoted(row: list[str]) -> str:
        return ",".join('"' + cell.replace('"', '""') + '"' for cell in row)

    return "\n".join([header, *map(quoted, rows)]) + "\n"


def _with(**cells: str) -> str:
    """A sound submission but for cells of its second row."""
    return _text([_row(0), _row(1, **cells), _row(2)])


def _only(*numbers: int) -> str:
    return _text([_row(number) for number in numbers])


CRASHES = {
    "empty evidence": _with(evi=""),
    "evidence that reads as missing": _with(evi="NA"),
    "null-like evidence": _with(evi="null"),
    "evidence without separators": _with(evi="only prose"),
    "an answer that starts with a newline": _with(evi="q\t\t\n\na\t\t\n\n"),
    "the separator inside an answer": _with(evi="q\t\t\na\t\t\nb\t\t\n\n"),
    "the end of a pair inside an answer": _with(evi="q\t\t\na\t\t\n\nb\t\t\n\n"),
    "CRLF separators": _with(evi="q\t\t\r\na\t\t\r\n\r\n"),
    "a duplicate id": _only(0, 1, 1, 2),
    "string ids": _with(id="one"),
    "no rows": HEADER + "\n",
    "no file content": "",
    "no column id": _text([_row(n)[1:] for n in range(3)], "claim,evi,label,split"),
    "no column claim": _text([[_row(n)[0], *_row(n)[2:]] for n in range(3)], "id,evi,label,split"),
    "no column evi": _text([[*_row(n)[:2], *_row(n)[3:]] for n in range(3)], "id,claim,label,split"),
    "no column label": _text([[*_row(n)[:3], _row(n)[4]] for n in range(3)], "id,claim,evi,split"),
    "a row with a cell too many": _text([_row(0), [*_row(1), "more"], _row(2)]),
    "cells too many in every row": _text([[*_row(n), "more"] for n in range(3)]),
    "an open quote": _only(0, 1) + '2,"Claim two.',
    "a row without evidence": _only(0, 1) + "2,Claim two.\n",
}
WRONGS = {
    "a label in another case": _with(label="refuted"),
    "a label with a trailing space": _with(label="Refuted "),
    "no label": _with(label=""),
    "a missing row": _only(0, 2),
    "a missing last row": _only(0, 1),
    "a missing id": _with(id=""),
    "a duplicate id in place of another": _only(0, 0, 2),
    "ids from 1": _text([_row(number, id=str(number + 1)) for number in range(3)]),
    "ids of two claims exchanged": _text([_row(0, id="1"), _row(1, id="0"), _row(2)]),
    "evidence without a pair": _with(evi="\t\t\n\n"),
}
HARMLESS = {
    "no column split": _text([_row(n)[:4] for n in range(3)], "id,claim,evi,label"),
    "CRLF inside an answer": _with(evi="q\t\t\na\r\nb\t\t\n\n"),
    "NUL inside an answer": _with(evi="q\t\t\na\0b\t\t\n\n"),
    "an empty question": _with(evi="\t\t\na\t\t\n\n"),
    "an empty answer": _with(evi="q\t\t\n\t\t\n\n"),
    "shuffled rows": _only(2, 0, 1),
    "more than ten pairs": _with(evi=PAIR * 11),
    "a row that gold does not have": _only(0, 1, 2) + f'3,Another claim.,"{PAIR}",Refuted,pred\n',
    "a row without evidence that gold does not have": _only(0, 1, 2) + "3,Another claim.,,Refuted,pred\n",
}
SOUND = {
    "nothing": _only(0, 1, 2),
    "single tabs": _with(evi="q\t\t\na\tb\t\nc\t\t\n\n"),
    "ids as decimals": _text([_row(number, id=f"{number}.0") for number in range(3)]),
    "CRLF between rows": HEADER + "\r\n" + "".join(f'{n},{CLAIMS[n]},"{PAIR}",{LABELS[n]},pred\r\n' for n in range(3)),
    "the last pair's terminator missing": _with(evi="q\t\t\na"),
    "a byte order mark and blank lines": "\ufeff" + _only(0, 1, 2).replace("\n0", "\n\n0"),
}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "solution.csv"
    path.write_text(_only(0, 1, 2).replace("pred", "gold"), newline="")
    return path


def _outcome(submission: Path, gold: Path) -> Effect | None:
    """The official scorer's way: stop, or score a claim with another's row or with a wrong label, or neither."""
    try:
        scored = official_run(submission, gold)
    except Exception:  # noqa: BLE001 - whatever stops pandas or the scorer
        return Effect.CRASH
    expected = [(claim, True, True) for claim in CLAIMS]
    return None if [(claim, bool(pairs), right) for claim, pairs, right in scored] == expected else Effect.WRONG


def _worst(faults: list[Fault]) -> Effect | None:
    return next((effect for effect in Effect if any(fault.effect is effect for fault in faults)), None)


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        pytest.param(text, effect, id=name)
        for effect, cases in (
            (Effect.CRASH, CRASHES),
            (Effect.WRONG, WRONGS),
            (Effect.HARMLESS, HARMLESS),
            (None, SOUND),
        )
        for name, text in cases.items()
    ],
)
def test_a_trap_has_the_effect_that_the_official_scorer_shows(
    tmp_path: Path, gold: Path, text: str, effect: Effect | None
) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(text, newline="")
    assert _worst(validate(path, CLAIMS)) is effect
    assert _outcome(path, gold) is (None if effect is Effect.HARMLESS else effect)


def test_names_missing_rows_by_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(_only(1), newline="")
    messages = [fault.message for fault in validate(path, CLAIMS)]
    assert messages == [
        "id 0 is missing; every later row is scored against an earlier claim",
        "id 2 is missing; the mean is taken over fewer claims",
    ]


def test_without_claims_the_highest_id_is_taken_for_the_last(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(_only(0, 1), newline="")
    assert validate(path) == []
    path.write_text(_only(0, 2), newline="")
    assert [fault.message for fault in validate(path)] == [
        "id 1 is missing; every later row is scored against an earlier claim"
    ]


def _entry(number: int, **changes: Any) -> dict[str, Any]:
    evidence = [{"question": "q", "answer": "a", "url": "u"}]
    entry = {"claim_id": number, "claim": CLAIMS[number], "evidence": evidence, "pred_label": LABELS[number], **changes}
    return {key: value for key, value in entry.items() if value is not ...}


def _entries(**changes: Any) -> list[Any]:
    return [_entry(0), _entry(1, **changes), _entry(2)]


JSON_CASES: dict[str, tuple[Any, Effect | None]] = {
    "nothing": (_entries(), None),
    "no claim_id": (_entries(claim_id=...), None),
    "no evidence": (_entries(evidence=[]), Effect.CRASH),
    "no field evidence": (_entries(evidence=...), Effect.CRASH),
    "no label": (_entries(pred_label=...), Effect.CRASH),
    "no claim": (_entries(claim=...), Effect.CRASH),
    "evidence null": (_entries(evidence=None), Effect.CRASH),
    "an answer null": (_entries(evidence=[{"question": "q", "answer": None}]), Effect.CRASH),
    "a pair without an answer": (_entries(evidence=[{"question": "q"}]), Effect.CRASH),
    "a pair that is a text": (_entries(evidence=["q"]), Effect.CRASH),
    "an answer that starts with a newline": (_entries(evidence=[{"question": "q", "answer": "\na"}]), Effect.CRASH),
    "a lone surrogate": (_entries(evidence=[{"question": "q", "answer": "\ud800"}]), Effect.CRASH),
    "an entry that is a text": ([_entry(0), "one", _entry(2)], Effect.CRASH),
    "no entries": ([], Effect.CRASH),
    "an object at the top": ({"0": _entry(0)}, Effect.CRASH),
    "a label in another case": (_entries(pred_label="REFUTED"), Effect.WRONG),
    "a missing entry": ([_entry(0), _entry(2)], Effect.WRONG),
    "a missing last entry": ([_entry(0), _entry(1)], Effect.WRONG),
    "shuffled entries": ([_entry(2), _entry(0), _entry(1)], Effect.WRONG),
    "more than ten pairs": (_entries(evidence=[{"question": "q", "answer": "a"}] * 11), Effect.HARMLESS),
}


@pytest.mark.parametrize(("value", "effect"), JSON_CASES.values(), ids=JSON_CASES.keys())
def test_predictions_in_json_have_the_effect_of_their_conversion(
    tmp_path: Path, gold: Path, value: Any, effect: Effect | None
) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(value))
    assert _worst(validate(path, CLAIMS)) is effect
    try:
        official_convert(path, tmp_path / "converted.csv")
    except Exception:  # noqa: BLE001 - whatever stops the converter
        outcome: Effect | None = Effect.CRASH
    else:
        outcome = _outcome(tmp_path / "converted.csv", gold)
    assert outcome is (None if effect is Effect.HARMLESS else effect)


def test_names_a_misplaced_entry_by_claim_id_without_claims(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps([_entry(0), _entry(2)]))
    [fault] = validate(path)
    assert (fault.where, fault.effect) == ("entry 1", Effect.WRONG)
    assert "has claim_id 2, but is at position 1" in fault.message


def test_a_file_that_does_not_exist_is_an_error(tmp_path: Path, capsys) -> None:
    assert main(["validate", str(tmp_path / "submission.csv")]) == 2
    assert "not found; expected submission" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        (_only(0, 1, 2), 0, "no faults"),
        (_with(label="refuted"), 1, "gives wrong scores without an error: row 1 (line 6): the label 'refuted'"),
        (_with(evi="q\t\t\n\t\t\n\n"), 0, "1 harmless"),
    ],
)
def test_faults_are_printed_and_only_harmful_ones_fail(tmp_path: Path, text: str, status: int, message: str, capsys):
    path = tmp_path / "submission.csv"
    path.write_text(text, newline="")
    (tmp_path / "claims.json").write_text(json.dumps([{"claim": claim} for claim in CLAIMS]))
    assert main(["validate", str(path), "--claims", str(tmp_path / "claims.json")]) == status
    assert message in capsys.readouterr().out


@pytest.mark.data
def test_the_organizers_own_files_have_no_faults(shared: Path) -> None:
    claims = claim_texts(shared / "data/averitec/dev.json")
    assert validate(shared / "data/fever8/baseline_submission.csv", claims) == []
    assert not changes_score(validate(shared / "data/fever8/solution_dev.csv", claims))


PLAIN = st.text(st.characters(exclude_characters="\t\n"), max_size=8)


def test_missing_values_are_those_of_pandas() -> None:
    assert set(STR_NA_VALUES) == MISSING


@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=5))
def test_splitting_undoes_joining(pairs: list[tuple[str, str]]) -> None:
    assert split_evidence(join_evidence(pairs)) == pairs


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ("null", "reads as a missing value"),
        ("no separators", "pair 0 .* has no answer: its separator is missing"),
        ("q\t\t\na\t\t\nb\t\t\n\n", "pair 0 .* holds the separator"),
        ("q\t\t\na\t\t\n\nr\t\t\n\nb\t\t\n\n", "pair 1 .* begins with a newline"),
        ("q\t\t\r\na\t\t\r\n\r\n", "CRLF"),
    ],
)
def test_evidence_at_which_the_scorer_stops(evidence: str, message: str) -> None:
    with pytest.raises(UnreadableEvidence, match=message):
        split_evidence(evidence)


FILES = [
    'id,claim,evi,label,split\n0,"a ""b"", c","x\r\ny\n\nz",Refuted,pred\n',
    "id,claim,evi,label,split\r\n\r\n  \r\n0,c,e,R,pred\r\n\r\n1,d,f,S,pred",
    "\ufeffid,claim,evi,label\n1,c,e,R\n0,NA,,S\n",
    "id,claim,evi,label,split\n0,c\n1,d,e,R,pred\n",
    "label,evi,claim,id\nR,e,c, 3\nS,f,d,1e1\nS,f,d,\n",
    "id,claim,evi,label,label\n0,c,e,first,second\n",
    "id,claim,label\n0,c,R\n",
    "id,claim,evi,label\n0,c,a\0b,R\n",
]


@pytest.mark.parametrize("text", FILES)
def test_reads_a_table_as_pandas_reads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.csv"
    path.write_text(text, newline="")
    reference = pd.read_csv(path)
    rows = read_table(path)
    assert len(rows) == len(reference)
    assert [row.id for row in rows] == pytest.approx(reference["id"].tolist(), nan_ok=True)
    for ours, column in (("claim", "claim"), ("evidence", "evi"), ("label", "label")):
        cells = reference[column].fillna("").tolist() if column in reference else [""] * len(rows)
        assert ["" if (cell := getattr(row, ours)) in MISSING else cell for row in rows] == cells


def test_rows_know_their_place_and_ids_are_numbers_missing_or_text(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text('id,claim\n\n2.0,"two\nlines"\nNA,b\nseven,c\n1_0,d\n')
    rows = read_table(tmp_path / "file.csv")
    assert [row.where for row in rows[:2]] == ["row 0 (line 3)", "row 1 (line 5)"]
    ids = [row.id for row in rows]
    assert ids[0] == 2 and isinstance(ids[1], float) and math.isnan(ids[1]) and ids[2:] == ["seven", "1_0"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"id,claim\n0,a,b\n", r"row 0 \(line 2\) has 3 cells, expected 2"),
        (b'id,claim\n0,a\n1,"b\n', "the row at line 3 is not valid CSV"),
        (b"id,claim\n0,\xff\n", "line 2: expected UTF-8"),
    ],
)
def test_files_that_pandas_cannot_read(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "file.csv").write_bytes(data)
    with pytest.raises(SubmissionError, match=message):
        read_table(tmp_path / "file.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\ufeffid;claim;evi;label;split\r\n0;a;e;R;pred\r\n", "semicolons"),
        ('"id";"claim";"evi";"label"\n0;"a ""b"" c";e;R\n', "semicolons"),
        ("id\tclaim\tevi\tlabel\n0\ta, b\te\tR\n", "tabs"),
        ("id|claim|evi|label\n", "vertical bars"),
        ("sep=;\nid;claim;evi;label\n", "semicolons"),
    ],
)
def test_another_delimiter_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "file.csv").write_text(text, newline="")
    [fault] = validate(tmp_path / "file.csv")
    assert (fault.where, fault.effect) == ("file", Effect.CRASH)
    assert f"its cells are separated by {words}" in fault.message
