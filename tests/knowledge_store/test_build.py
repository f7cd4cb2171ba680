"""Building: the store that is written reads back as the documents that went in."""

from pathlib import Path

import orjson
import pytest

from knowledge_store.build import build
from knowledge_store.documents import DocumentsError, read_documents
from knowledge_store.reading import Flaw, Flaws, read_pages


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("First. Second, with “quotes” and a\ttab.")
    (folder / "b.txt").write_text("")
    (folder / "c.md").write_text("# Title\n\nनमस्ते दुनिया। 你好。")
    return folder


def test_the_store_reads_back_as_the_documents(folder: Path, tmp_path: Path) -> None:
    flaws = Flaws()
    assert build(folder, tmp_path / "7.json", flaws) == 2
    assert flaws == {Flaw.EMPTY_PAGE: 1}
    reading = Flaws()
    assert list(read_pages(tmp_path / "7.json", reading)) == list(read_documents(folder, Flaws()))
    assert not +reading


def test_lines_have_the_fields_of_the_official_format(folder: Path, tmp_path: Path) -> None:
    build(folder, tmp_path / "7.json", Flaws())
    record = orjson.loads((tmp_path / "7.json").read_bytes().splitlines()[0])
    assert list(record) == ["claim_id", "type", "query", "url", "url2text"]
    assert (record["claim_id"], record["url"]) == ("7", "a.txt")


def test_documents_without_text_make_no_store(folder: Path, tmp_path: Path) -> None:
    (folder / "a.txt").unlink()
    (folder / "c.md").unlink()
    with pytest.raises(DocumentsError, match=r"no document at .* has text"):
        build(folder, tmp_path / "7.json", Flaws())
    assert not (tmp_path / "7.json").exists()


def test_an_output_that_cannot_be_written_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DocumentsError, match=r"the store cannot be written: .*absent"):
        build(folder, tmp_path / "absent" / "7.json", Flaws())
