import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES

from submission.files import SubmissionError
from submission.official import (
    MISSING,
    Effect,
    UnreadableEvidence,
    join_evidence,
    read_table,
    split_evidence,
)
from submission.validate import validate

PLAIN = st.text(st.characters(exclude_characters="\t\n"), max_size=8)


def test_missing_values_are_those_of_pandas() -> None:
    assert set(STR_NA_VALUES) == MISSING


@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=5))
def test_splitting_undoes_joining(pairs: list[tuple[str, str]]) -> None:
    assert split_evidence(join_evidence(pairs)) == pairs


def test_the_last_pair_keeps_its_terminator() -> None:
    assert join_evidence([("q", "a"), ("r", "b")]) == "q\t\t\na\t\t\n\nr\t\t\nb\t\t\n\n"


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
    rows = read_table(path).rows
    assert len(rows) == len(reference)
    assert [row.id for row in rows] == pytest.approx(reference["id"].tolist(), nan_ok=True)
    for ours, column in (("claim", "claim"), ("evidence", "evi"), ("label", "label")):
        cells = reference[column].fillna("").tolist() if column in reference else [""] * len(rows)
        assert ["" if (cell := getattr(row, ours)) in MISSING else cell for row in rows] == cells


def test_rows_know_their_number_and_first_line(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text('id,claim\n\n0,"two\nlines"\n1,c\n')
    assert [row.where for row in read_table(tmp_path / "file.csv").rows] == ["row 0 (line 3)", "row 1 (line 5)"]


def test_ids_are_numbers_missing_or_text(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("id,claim\n2.0,a\nNA,b\nseven,c\n1_0,d\n")
    ids = [row.id for row in read_table(tmp_path / "file.csv").rows]
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
