import re
import time
from pathlib import Path

import pytest
from hypothesis import given

from submission.files import SubmissionError, clean, read_json_array, read_text, same_text
from system.files.texts import FileError, repair, write_text
from tests.helpers.submission_factories import HOSTILE


def test_a_file_is_replaced_whole_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    write_text(path, "old")
    write_text(path, "a\r\né")
    assert path.read_bytes() == "a\r\né".encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_text_that_cannot_be_encoded_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_text() == "old"


def test_names_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write"):
        write_text(tmp_path / "file" / "inside.txt", "text")


def test_a_byte_order_mark_is_dropped_and_line_ends_stay(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert read_text(tmp_path / "file") == "a\r\nb\r"


def test_names_bytes_that_are_not_utf8_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\ntwo \xff")
    with pytest.raises(SubmissionError, match="line 2: expected UTF-8, got byte 0xff"):
        read_text(tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "message"),
    [("[1,\n2", "line 2, column 2: expected a JSON array"), ('{"a": 1}', "expected a JSON array, got dict")],
)
def test_rejects_json_that_is_not_an_array(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(SubmissionError, match=message):
        read_json_array(tmp_path / "file.json")


@given(HOSTILE)
def test_repaired_text_is_utf8_without_nuls(text: str) -> None:
    assert "\0" not in repair(text)
    repair(text).encode()


@given(HOSTILE)
def test_clean_text_holds_no_separator_and_no_margin(text: str) -> None:
    cleaned = clean(text)
    assert not re.search(r"\t\t\n|\r", cleaned)
    assert cleaned == cleaned.strip() == clean(cleaned)


def test_clean_text_keeps_single_tabs_and_line_breaks() -> None:
    assert clean("year\tvisitors\n2019\t4") == "year\tvisitors\n2019\t4"


def test_texts_are_the_same_but_for_whitespace_and_repair() -> None:
    assert same_text("A  claim\n", "A claim")
    assert same_text("A cla\ud800im", "A cla\ufffdim")
    assert not same_text("A claim", "a claim")


def test_a_run_of_tabs_is_cleaned_in_linear_time() -> None:
    begin = time.process_time()
    assert clean("a" + "\t" * 200_000 + "b") == "a" + "\t" * 200_000 + "b"
    assert time.process_time() - begin < 5  # a minute, if each tab began the search again
