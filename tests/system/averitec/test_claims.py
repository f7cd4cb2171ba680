"""Reading claims: four forms, ids, dates, and errors that say what to do."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from system.averitec.claims import ClaimsError, read_claims
from system.graph.records import Claim

# Text that survives being a line of a file: no line ends, not blank.
line_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1).filter(str.strip)
metadata = st.none() | st.text(st.characters(exclude_categories=["Cs"]))
averitec_claims = st.fixed_dictionaries(
    {"claim": line_text},
    optional=dict.fromkeys(("speaker", "original_claim_url", "location_ISO_code"), metadata)
    | {"claim_date": st.none() | st.dates().map(str)}
    | {"label": st.just("Refuted"), "questions": st.just([{"question": "Who?", "answers": []}])},
)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(folder: Path, content: str | bytes, name: str = "claims.json") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def error_of(path: Path, **selection: int) -> str:
    with pytest.raises(ClaimsError) as caught:
        read_claims(path, **selection)
    return str(caught.value)


def test_reads_every_metadata_field(tmp_path: Path) -> None:
    same = {"speaker": "Ann Ray", "reporting_source": "Radio"}
    text, day, url = "The bridge is open.", "25-8-2020", "https://a.example/1"
    given = {"claim": text, "claim_date": day, "original_claim_url": url, "location_ISO_code": "XV", **same}
    (found,) = read_claims(write(tmp_path, json.dumps([{**given, "label": "Refuted", "questions": []}])))
    assert found == Claim(id=0, text=text, date=day, original_url=url, location="XV", **same)


TABLE = 'id,claim,date,speaker\n7,The bridge is open.,2020-08-25,Ann Ray\n3,"It is old, they say.",,\n'
CLAIMS_OF_TABLE = [
    Claim(id=7, text="The bridge is open.", date="25-8-2020", speaker="Ann Ray"),
    Claim(id=3, text="It is old, they say."),
]


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        f"\ufeff{TABLE}".replace("\n", "\r\n"),
        TABLE.replace(",", ";").replace("old;", "old,"),
        TABLE.replace(",", "\t").replace("old\t", "old,"),
        TABLE.replace("id,claim,date,speaker", "Claim_ID, Claim ,claim_date,SPEAKER"),
        TABLE.replace("7,", "\n,,,\n7,"),
    ],
    ids=["plain", "excel", "semicolons", "tabs", "other spelling", "empty rows"],
)
def test_reads_a_table(tmp_path: Path, content: str) -> None:
    assert read_claims(write(tmp_path, content, "claims.csv")) == CLAIMS_OF_TABLE


@same_folder
@given(records=st.lists(averitec_claims, min_size=1, max_size=8))
def test_array_and_lines_give_the_same_claims(tmp_path: Path, records: list[dict[str, object]]) -> None:
    array = read_claims(write(tmp_path, json.dumps(records, indent=1)))
    lines = read_claims(write(tmp_path, "\n".join(json.dumps(r, ensure_ascii=False) for r in records), "c.jsonl"))
    assert [(claim.id, claim.text) for claim in array] == [(i, record["claim"]) for i, record in enumerate(records)]
    assert lines == array


def test_reads_a_text_file(tmp_path: Path) -> None:
    content = "\ufeff The first claim. \r\n\r\n   \r\nकर 40 प्रतिशत बढ़ा।\r\n[Video] Sharks in the street\r\n42\r\n"
    claims = read_claims(write(tmp_path, content, "claims.txt"))
    assert [(claim.id, claim.text) for claim in claims] == [
        (0, "The first claim."),
        (1, "कर 40 प्रतिशत बढ़ा।"),
        (2, "[Video] Sharks in the street"),
        (3, "42"),
    ]


def test_blank_claim_of_an_array_keeps_its_row(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path, '[{"claim": "A"}, {"claim": " "}, {"claim": "C"}]')
    with caplog.at_level(logging.WARNING):
        claims = read_claims(path)
    assert [(claim.id, claim.text) for claim in claims] == [(0, "A"), (1, " "), (2, "C")]
    assert caplog.messages == [f"{path}: claim 1: the text is blank; kept, so that it has its row in the submission"]


OF_TABLES = [
    ("", ["holds no claims"]),
    ("id,claim\n", ["holds no claims", "below the header"]),
    ("id,text\n1,A\n", ["line 1", "a header with one column 'claim'", "got 'id', 'text'"]),
    ("The bridge is open.\nIt is old.\n", ["line 1", "a header with one column 'claim'", "'The bridge is open.'"]),
    ("claim,date\nA,2020-08-25\nIt is old, they say.,25-8-2020\n", ["line 3", "expected 2 cells, got 3", "quote"]),
    ('claim,date\nA,\n"B,\n', ["line 3", "expected a row of CSV", "check its quotes"]),
    ("id,claim\n1,A\n1,B\n", ["line 3", "expected a unique id, got 1", "line 2"]),
    ("id,claim\n1,A\n,B\n", ["line 3", "has no id, but other claims do"]),
    ("id,claim\nA1,A\n", ["line 2", "'id'", "expected a number from 0, got 'A1'"]),
    ("claim,date\n ,2020-08-25\n", ["line 2", "'claim'", "got a blank string"]),
    ("claim,date\nA,25.08.2020\n", ["line 2", "'date'", "2020-08-25 or 25-8-2020", "got '25.08.2020'"]),
    (b"claim,speaker\nA,Ren\xe9\n", ["expected UTF-8", "0xe9", "save the file as UTF-8"]),
]
OF_JSON = [
    ("", ["holds no claims", "at least one", "JSON Lines"]),
    ("[]", ["array is empty", "at least one claim"]),
    ('[{"claim": "A"},\n {"cla', ["line 2", "expected a JSON array", "unexpected end of data", "fetch it again"]),
    ('{"data": []}', ["expected an array of claims", "an object with 'data'"]),
    ("42", ["line 1", "expected an object with a 'claim'", "got a number"]),
    ("just words", ["line 1", "expected a JSON object or string", "'just words'", ".txt"]),
    ('[{"claim": "A"}, [1]]', ["claim 1", "expected an object with a 'claim'", "got an array"]),
    ('[{"claim": "A"}, {"label": "Refuted"}]', ["claim 1", "'claim'", "expected a string", "no such field"]),
    ('[{"claim": "A", "speaker": ["B"]}]', ["claim 0", "'speaker'", "string or null", "got an array"]),
    ('[{"id": 1, "claim": "A"}, {"id": 1, "claim": "B"}]', ["claim 1", "expected a unique id"]),
    ('{"claim": "A"}\n\n{"claim": "B"', ["line 3", "JSON object or string on one line", "repair the line"]),
    ('{"claim": "A"}\n{"text": "B"}', ["line 2", "'claim'", "no such field"]),
    ('{"claim": "A"}\n{"claim": " "}', ["line 2", "got a blank string"]),
    ('"A"\nB', ["line 2", "expected a JSON object or string"]),
    (b'[{"claim": "caf\xe9"}]', ["expected UTF-8", "0xe9", "offset 15", "save the file as UTF-8"]),
]


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [*(("claims.csv", *row) for row in OF_TABLES), *(("claims.json", *row) for row in OF_JSON)],
)
def test_errors_name_place_expectation_and_remedy(tmp_path, name, content, parts) -> None:
    message = error_of(write(tmp_path, content, name))
    assert message.startswith(f"{tmp_path / name}: ")
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [*(("start", value, "0 to 1") for value in (-1, 2, 600)), *(("limit", value, "at least 1") for value in (0, -3))],
)
def test_start_or_limit_outside_the_file(tmp_path: Path, option: str, value: int, expected: str) -> None:
    message = error_of(write(tmp_path, '[{"claim": "A"}, {"claim": "B"}]'), **{option: value})
    assert f"{option}: expected {expected}, got {value}" in message


@pytest.mark.data
@pytest.mark.parametrize(("split", "count"), [("dev", 500), ("train", 3068)])
def test_official_splits(shared: Path, split: str, count: int) -> None:
    path = shared / "data" / "averitec" / f"{split}.json"
    gold = json.loads(path.read_text(encoding="utf-8"))
    claims = read_claims(path)
    assert len(claims) == count
    assert [(claim.id, claim.text) for claim in claims] == [(i, record["claim"]) for i, record in enumerate(gold)]
    assert [claim.date for claim in claims] == [record["claim_date"] or "" for record in gold]
    assert all((claim.day is None) == (claim.date == "") for claim in claims)


@pytest.mark.parametrize("text", ["x" * 501, "1," * 101, "so it is " * 34], ids=["characters", "numbers", "words"])
def test_a_claim_longer_than_a_statement_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "claims.txt").write_text(f"It rained.\n{text}\n")
    with pytest.raises(ClaimsError, match=r"claims.txt: line 2: 'claim': .* at most 500 characters and 100 words"):
        read_claims(tmp_path / "claims.txt")
    with pytest.raises(ClaimsError, match=r"^claim: .* check it as a text, statement by statement$"):
        Claim(text)
