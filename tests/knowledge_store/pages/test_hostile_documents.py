"""Files made to cost more than their share are left out by name, in time, and the file beside them is read."""

import time
from time import monotonic

import pytest

from knowledge_store.isolation import Limits, isolated
from knowledge_store.pages import documents
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.reading import read_document
from tests.helpers.documents import docx

SMALL = Limits(seconds=2.0, memory=2**29, output=2**22)


def wide_cell(path):
    span = '<w:tc><w:tcPr><w:gridSpan w:val="30000000"/></w:tcPr><w:p/></w:tc>'
    path.write_bytes(docx(f"<w:tbl><w:tblGrid/><w:tr>{span}</w:tr></w:tbl>"))


def many_paragraphs(path):
    path.write_bytes(docx("<w:p/>" * 1_000_000))


def many_attributes(path):
    path.write_text("<p " + " ".join(f"a{number}=x" for number in range(300_000)) + ">It rained.</p>")


def many_links(path):
    path.write_text("<body>" + '<p><a href="/a">It rained in a town</a></p>' * 60_000)


def wordy_names(path):
    path.write_text(",".join("x" * 60 for _ in range(300)) + "\n" + ("y," * 300 + "\n") * 2000)


def many_columns(path):
    path.write_text("," * 10_000_000 + "\n1,2\n")


def deep(path):
    path.write_text("<b>" * 100_000 + "It rained.")


def many_guesses(path):
    path.write_bytes(bytes(range(128, 256)) * 100_000)


HOSTILE = [
    (wide_cell, ".docx"), (many_paragraphs, ".docx"), (many_attributes, ".html"), (many_links, ".html"),
    (wordy_names, ".csv"), (many_columns, ".csv"), (deep, ".html"), (many_guesses, ".txt"),
]  # fmt: skip

TOO_MUCH = (wide_cell, many_paragraphs, many_attributes, many_links, wordy_names)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "suffix"), HOSTILE, ids=[make.__name__ for make, _ in HOSTILE])
def test_a_hostile_document_is_read_or_left_out_in_time(make, suffix, tmp_path, caplog):
    make(tmp_path / f"a{suffix}")
    (tmp_path / "b.txt").write_text("It snowed.")
    flaws = Flaws()
    pages = list(read_documents(tmp_path, flaws, limits=SMALL))
    assert pages[-1].sentences == ("It snowed.",)
    if make in TOO_MUCH:
        assert flaws.total() == 1 and f"a{suffix}: skipped, " in caplog.text


@pytest.mark.parametrize(
    ("text", "limits", "reason"),
    [
        ("x" * 2**20, Limits(output=2**19), "holds over 0.5 MiB of text"),
        ("It rained. " * 100_000, Limits(seconds=0.01), "took over 0.01 s"),
    ],
    ids=["text", "time"],
)
def test_the_reason_is_named(text, limits, reason, tmp_path, caplog):
    (tmp_path / "a.md").write_text(text)
    with pytest.raises(DocumentsError, match="unreadable file 1"):
        list(read_documents(tmp_path, Flaws(), limits=limits))
    assert caplog.messages == [f"a.md: skipped, cannot be read ({reason})"]


@pytest.fixture
def hanging(monkeypatch):
    """Documents whose names begin with "a" take longer than anybody waits."""

    def read(source, suffix, name, limits):
        if name.startswith("a"):
            isolated(limits, time.sleep, 600)
        return read_document(source, suffix, name, limits)

    monkeypatch.setattr(documents, "read_document", read)


@pytest.mark.usefixtures("hanging")
def test_hanging_documents_leave_time_for_those_behind(tmp_path, caplog):
    for name in ("a.txt", "aa.txt", "b.txt"):
        (tmp_path / name).write_text("It snowed.")
    pages = list(read_documents(tmp_path, Flaws(), limits=Limits(until=monotonic() + 12)))
    assert [page.url for page in pages] == ["b.txt"]
    assert [message.split(":")[0] for message in caplog.messages] == ["a.txt", "aa.txt"]


@pytest.mark.usefixtures("hanging")
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
