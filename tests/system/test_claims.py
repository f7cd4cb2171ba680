"""Reading claims: three forms, positions as ids, and errors that say what to do."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from system.claims import ClaimsError, read_claims
from system.records import Claim

# Text that survives being a line of a file: no line ends, not blank.
line_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1).filter(str.strip)
metadata = st.none() | st.text(st.characters(exclude_categories=["Cs"]))
averitec_claims = st.fixed_dictionaries(
    {"claim": line_text},
    optional=dict.fromkeys(("claim_date", "speaker", "original_claim_url", "location_ISO_code"), metadata)
    | {"label": st.just("Refuted"), "questions": st.just([{"question": "Who?", "answers": []}])},
)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(folder: Path, content: str | bytes, name: str = "claims.json") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def texts(claims: list[Claim]) -> list[str]:
    return [claim.text for claim in claims]


def error_of(path: Path, **selection: int) -> str:
    with pytest.raises(ClaimsError) as caught:
        read_claims(path, **selection)
    return str(caught.value)


def test_reads_every_metadata_field(tmp_path: Path) -> None:
    record = {
        "claim": "The bridge is open.",
        "claim_date": "25-8-2020",
        "speaker": "Ann Ray",
        "original_claim_url": "https://a.example/1",
        "reporting_source": "Radio",
        "location_ISO_code": "XV",
        "label": "Refuted",
        "questions": [],
    }
    assert read_claims(write(tmp_path, json.dumps([record]))) == [
        Claim(
            id=0,
            text="The bridge is open.",
            date="25-8-2020",
            speaker="Ann Ray",
            original_url="https://a.example/1",
            reporting_source="Radio",
            location="XV",
        )
    ]


@pytest.mark.parametrize("absent", [None, "", "  "])
def test_unknown_metadata_is_the_empty_string(tmp_path: Path, absent: str | None) -> None:
    [claim] = read_claims(write(tmp_path, json.dumps([{"claim": "A", "speaker": absent, "claim_date": absent}])))
    assert claim == Claim(id=0, text="A")


def test_repeated_texts_are_claims_of_their_own(tmp_path: Path) -> None:
    claims = read_claims(write(tmp_path, '[{"claim": "A"}, {"claim": "B"}, {"claim": "A"}]'))
    assert [(claim.id, claim.text) for claim in claims] == [(0, "A"), (1, "B"), (2, "A")]


@same_folder
@given(records=st.lists(averitec_claims, min_size=1, max_size=8))
def test_array_and_lines_give_the_same_claims(tmp_path: Path, records: list[dict[str, object]]) -> None:
    array = read_claims(write(tmp_path, json.dumps(records, indent=1)))
    lines = read_claims(write(tmp_path, "\n".join(json.dumps(r, ensure_ascii=False) for r in records), "c.jsonl"))
    assert texts(array) == [record["claim"] for record in records]
    assert [claim.id for claim in array] == list(range(len(records)))
    assert lines == array


@same_folder
@given(lines=st.lists(line_text, min_size=1))
def test_strings_a_line(tmp_path: Path, lines: list[str]) -> None:
    path = write(tmp_path, "\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "claims.txt")
    assert texts(read_claims(path)) == lines


@same_folder
@given(records=st.lists(averitec_claims, min_size=1, max_size=8), data=st.data())
def test_start_and_limit_keep_the_ids(tmp_path: Path, records: list[dict[str, object]], data: st.DataObject) -> None:
    path = write(tmp_path, json.dumps(records))
    start = data.draw(st.integers(0, len(records) - 1))
    limit = data.draw(st.none() | st.integers(1, 10))
    stop = None if limit is None else start + limit
    assert read_claims(path, start, limit) == read_claims(path)[start:stop]


def test_text_file(tmp_path: Path) -> None:
    content = "\ufeff The first claim. \r\n\r\n   \r\nकर 40 प्रतिशत बढ़ा।\r\n[Video] Sharks in the street\r\n42\r\n"
    claims = read_claims(write(tmp_path, content, "claims.txt"))
    assert [(claim.id, claim.text) for claim in claims] == [
        (0, "The first claim."),
        (1, "कर 40 प्रतिशत बढ़ा।"),
        (2, "[Video] Sharks in the street"),
        (3, "42"),
    ]


@pytest.mark.parametrize(
    "content",
    ["[Video] Sharks in the street\nB", '"We won," she said.\nB', '"Quoted whole."\nB', "2020 was warm\nB", "42"],
)
def test_text_that_begins_like_json_is_text(tmp_path: Path, content: str) -> None:
    assert texts(read_claims(write(tmp_path, content, "claims.txt"))) == content.split("\n")


@pytest.mark.parametrize("name", ["claims.json", "claims.jsonl", "claims.txt", "claims"])
def test_content_decides_the_form(tmp_path: Path, name: str) -> None:
    array = read_claims(write(tmp_path, '\ufeff\n[{"claim": "A"}, {"claim": "B"}]\n', name))
    lines = read_claims(write(tmp_path, '\n{"claim": "A"}\n\n{"claim": "B", "extra": 1}\n', name))
    assert array == lines == [Claim(id=0, text="A"), Claim(id=1, text="B")]


def test_line_separator_inside_a_string(tmp_path: Path) -> None:
    # U+2028 is legal inside a JSON string and ends a line only for str.splitlines.
    path = write(tmp_path, '{"claim": "A\u2028B"}', "claims.jsonl")
    assert read_claims(path) == [Claim(id=0, text="A\u2028B")]


def test_blank_claim_of_an_array_keeps_its_row(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path, '[{"claim": "A"}, {"claim": " "}, {"claim": "C"}]')
    with caplog.at_level(logging.WARNING):
        claims = read_claims(path)
    assert [(claim.id, claim.text) for claim in claims] == [(0, "A"), (1, " "), (2, "C")]
    assert caplog.messages == [f"{path}: claim 1: the text is blank; kept, so that it has its row in the submission"]


def test_a_bad_claim_outside_the_selection_is_not_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path, '[{"claim": "A"}, {"claim": 5}, {"claim": "C"}]')
    assert texts(read_claims(path, start=2)) == ["C"]
    assert texts(read_claims(path, limit=1)) == ["A"]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ["holds no claims", "at least one", "JSON Lines"]),
        (" \n\n", ["holds no claims"]),
        ("[]", ["array is empty", "at least one claim"]),
        ("[", ["line 1", "expected a JSON array", "cut short"]),
        ('[{"claim": "A"},\n {"cla', ["line 2", "expected a JSON array", "unexpected end of data", "fetch it again"]),
        ('[{"claim": "A"},]', ["line 1, column 16", "expected a JSON array", "trailing comma"]),
        ('{"data": []}', ["expected an array of claims", "an object with 'data'"]),
        ("{}", ["expected an array of claims", "an object with no fields"]),
        ("42", ["line 1", "expected an object with a 'claim'", "came a number"]),
        ("just words", ["line 1", "expected a JSON object or string", "'just words'", ".txt"]),
        ('[{"claim": "A"}, [1]]', ["claim 1", "expected an object with a 'claim'", "came an array"]),
        ("[null]", ["claim 0", "came null"]),
        ("[true]", ["claim 0", "came a boolean"]),
        ('[{"claim": "A"}, {"label": "Refuted"}]', ["claim 1", "'claim'", "expected a string", "no such field"]),
        ('[{"claim": null}]', ["claim 0", "expected a string", "came null"]),
        ('[{"claim": {"text": "A"}}]', ["claim 0", "expected a string", "came an object"]),
        ('[{"claim": "A", "speaker": ["B"]}]', ["claim 0", "'speaker'", "string or null", "came an array"]),
        ('[{"claim": "A", "claim_date": 2020}]', ["claim 0", "'claim_date'", "came a number"]),
        ('{"claim": "A"}\n\n{"claim": "B"', ["line 3", "JSON object or string on one line", "repair the line"]),
        ('{"claim": "A"}\n{"text": "B"}', ["line 2", "'claim'", "no such field"]),
        ('{"claim": "A"}\n{"claim": " "}', ["line 2", "came a blank string"]),
        ('"A"\n""', ["line 2", "came a blank string"]),
        ('"A"\nB', ["line 2", "expected a JSON object or string"]),
        (b'[{"claim": "caf\xe9"}]', ["expected UTF-8", "0xe9", "offset 15", "save the file as UTF-8"]),
        ("\ufeffclaim".encode("utf-16-le"), ["expected UTF-8", "0xff", "offset 0"]),
    ],
)
def test_errors_name_place_expectation_and_remedy(tmp_path: Path, content: str | bytes, parts: list[str]) -> None:
    path = write(tmp_path, content)
    message = error_of(path)
    assert message.startswith(f"{path}: ")
    for part in parts:
        assert part in message


def test_missing_file_and_directory(tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    assert error_of(missing).startswith(f"{missing}: no such file")
    assert error_of(tmp_path).startswith(f"{tmp_path}: is a directory")


def test_other_system_errors_keep_their_reason(tmp_path: Path) -> None:
    path = write(tmp_path, "A", "claims.txt")
    assert "Not a directory" in error_of(path / "inner.json")


@pytest.mark.parametrize("start", [-1, 2, 600])
def test_start_outside_the_file(tmp_path: Path, start: int) -> None:
    message = error_of(write(tmp_path, '[{"claim": "A"}, {"claim": "B"}]'), start=start)
    assert f"start is {start}, but the ids run from 0 to 1" in message


@pytest.mark.parametrize("limit", [0, -3])
def test_limit_below_one(tmp_path: Path, limit: int) -> None:
    message = error_of(write(tmp_path, '[{"claim": "A"}]'), limit=limit)
    assert f"limit is {limit}, expected at least 1" in message


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
