from pathlib import Path

import pytest

from submission.files import SubmissionError, read_json_array, read_text, write_atomically


def test_a_file_is_replaced_whole_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    write_atomically(path, "old")
    write_atomically(path, "a\r\né")
    assert path.read_bytes() == "a\r\né".encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_text_that_cannot_be_encoded_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SubmissionError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "inside.txt", "text")


def test_a_byte_order_mark_is_dropped_and_line_ends_stay(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert read_text(tmp_path / "file") == "a\r\nb\r"


def test_bytes_that_are_no_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\ntwo \xff")
    with pytest.raises(SubmissionError, match="line 2: expected UTF-8, came byte 0xff"):
        read_text(tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "message"),
    [("[1,\n2", "line 2, column 2: expected a JSON array"), ('{"a": 1}', "expected a JSON array, came dict")],
)
def test_json_that_is_no_array_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(SubmissionError, match=message):
        read_json_array(tmp_path / "file.json")
