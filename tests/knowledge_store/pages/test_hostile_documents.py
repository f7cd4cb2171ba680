"""Files made to cost more than their share are left out by name, in time, and the file beside them is read."""

import time
from time import monotonic

import pytest

from knowledge_store.isolation import Limits, isolated
from knowledge_store.pages import documents
from knowledge_store.pages.documents import DocumentsError, read_document, read_documents
from knowledge_store.pages.page import Flaws
from tests.helpers.documents import docx

SMALL = Limits(seconds=2.0, memory=2**29, output=2**22)
WIDE = '<w:tc><w:tcPr><w:gridSpan w:val="30000000"/></w:tcPr><w:p/></w:tc>'
TOO_MUCH = {
    "wide cell.docx": lambda: docx(f"<w:tbl><w:tblGrid/><w:tr>{WIDE}</w:tr></w:tbl>"),
    "many paragraphs.docx": lambda: docx("<w:p/>" * 1_000_000),
    "attributes.html": lambda: f"<p {' '.join(f'a{number}=x' for number in range(300_000))}>It rained.</p>".encode(),
    "many links.html": lambda: b"<body>" + b'<p><a href="/a">It rained in a town</a></p>' * 60_000,
    "wordy names.csv": lambda: b",".join([b"x" * 60] * 300) + b"\n" + (b"y," * 300 + b"\n") * 2000,
}
READ = {
    "a million columns.csv": lambda: b"," * 10_000_000 + b"\n1,2\n",
    "a deep page.html": lambda: b"<b>" * 100_000 + b"It rained.",
    "a text of guesses.txt": lambda: bytes(range(128, 256)) * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOO_MUCH | READ)
def test_a_hostile_document_is_read_or_left_out_in_time(name, tmp_path, caplog):
    (tmp_path / name).write_bytes((TOO_MUCH | READ)[name]())
    (tmp_path / "z.txt").write_text("It snowed.")
    flaws = Flaws()
    pages = list(read_documents(tmp_path, flaws, limits=SMALL))
    assert pages[-1].sentences == ("It snowed.",)
    if name in TOO_MUCH:
        assert flaws.total() == 1 and f"{name}: skipped, " in caplog.text


def test_hanging_documents_leave_time_for_those_behind(tmp_path, monkeypatch, caplog):
    def read(source, suffix, name, limits):
        if name.startswith("a"):
            isolated(limits, time.sleep, 600)  # longer than anybody waits
        return read_document(source, suffix, name, limits)

    monkeypatch.setattr(documents, "read_document", read)
    for name in ("a.txt", "aa.txt", "b.txt"):
        (tmp_path / name).write_text("It snowed.")
    pages = list(read_documents(tmp_path, Flaws(), limits=Limits(until=monotonic() + 12)))
    assert [page.url for page in pages] == ["b.txt"]
    assert [message.split(":")[0] for message in caplog.messages] == ["a.txt", "aa.txt"]


def test_documents_are_left_out_when_the_time_is_up(tmp_path, caplog):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("It snowed.")
    with pytest.raises(DocumentsError, match="unreadable file 2"):
        list(read_documents(tmp_path, Flaws(), limits=Limits(until=monotonic())))
    assert caplog.messages == [f"{name}: skipped, cannot be read (the time ran out)" for name in ("a.txt", "b.txt")]


def test_a_store_is_read_as_long_as_there_is_time(tmp_path):
    (tmp_path / "a.json").write_text('{"url": "https://a.example/", "url2text": ["It rained."]}')
    with pytest.raises(DocumentsError, match="not read to its end in time 1"):
        list(read_documents(tmp_path / "a.json", Flaws(), limits=Limits(until=monotonic())))
