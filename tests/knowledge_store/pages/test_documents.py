"""One's own documents: text, Markdown and HTML become pages; what cannot be read is named."""

import os
from io import BytesIO, TextIOWrapper
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import orjson
import pytest

from knowledge_store.pages import documents
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.page import Flaw, Flaws
from knowledge_store.pages.sentences import cut
from tests.helpers.documents import docx, paragraph, pdf

MARKDOWN = """# A *small* title

A line that is
wrapped, with a [link](https://b.example/) and `code`. A second sentence.

- first item
- second item

| year | value |
|------|-------|
| 2020 | 12%   |

```
x = 1
```
"""


def read(*paths):
    flaws = Flaws()
    return list(read_documents(paths, flaws)), flaws


def test_markdown_loses_its_markup(tmp_path):
    (tmp_path / "a.md").write_text(MARKDOWN)
    (page,), flaws = read(tmp_path / "a.md")
    assert not flaws and page.sentences == (
        "A small title\n\n",
        "A line that is wrapped, with a link and code.",
        "A second sentence.",
        "first item\n\n",
        "second item\n\n",
        "year: 2020, value: 12%\n\n",
        "x = 1",
    )


def test_leaves_out_a_docx_bomb(tmp_path, caplog):
    (tmp_path / "a.docx").write_bytes(docx(paragraph("It rained.")))
    with ZipFile(tmp_path / "a.docx", "a", ZIP_DEFLATED) as archive, archive.open("bomb", "w") as part:
        for _ in range(257):
            part.write(bytes(2**20))
    with pytest.raises(DocumentsError, match=r"no text in .*; unreadable file 1"):
        read(tmp_path)
    assert "a.docx: skipped, cannot be read (expected at most 256 MiB when unpacked" in caplog.text


def test_reads_standard_input(monkeypatch):
    for data in (b"It rained.", b"<html><body><p>It rained.</p></body></html>", pdf(["It rained."])):
        monkeypatch.setattr(documents.sys, "stdin", TextIOWrapper(BytesIO(data)))
        (page,) = read("-")[0]
        assert (page.url.partition("#")[0], page.sentences) == ("standard input", ("It rained.",))


def test_several_sources_keep_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a/x.txt", "b/x.txt"):
        Path(name).parent.mkdir()
        Path(name).write_text(f"This is {name}.")
    store = tmp_path / "s.json"
    store.write_bytes(orjson.dumps({"url": "https://a.example/", "url2text": ["One."]}))
    pages, _ = read("a", "s.json", "b/x.txt")
    assert [(page.number, page.url) for page in pages] == [(0, "a/x.txt"), (1, "https://a.example/"), (2, "b/x.txt")]


def test_an_address_is_fetched_only_on_request(caplog):
    with pytest.raises(DocumentsError, match="allow it with the option fetch"):
        read("https://a.example/")
    with pytest.raises(DocumentsError, match="no text in"):
        list(read_documents("http://127.0.0.1:9/", Flaws(), fetch=True))
    assert caplog.messages == [
        "http://127.0.0.1:9/: skipped, cannot be read (127.0.0.1 is not on the open Internet (127.0.0.1))"
    ]


def test_a_folder_is_read_to_any_depth_and_what_is_left_out_is_named(tmp_path, caplog):
    folder = tmp_path / "a"
    for name, data in {
        "b.txt": b"It rained.", "a/z.TXT": b"It rained.", "a/b.md": b"It rained.", ".git/d.txt": b"x", ".e.txt": b"x",
        "c.png": b"x", "caf\udce9.txt": b"It rained.", "empty.html": b"", "empty.txt": b" \n", "torn.docx": b"PK",
        "noise.txt": bytes(range(256)) * 20, "torn.pdf": b"%PDF-1.4 torn",
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "broken.pdf").symlink_to("nowhere")
    (folder / "link").symlink_to(tmp_path)
    (folder / "link.txt").symlink_to("b.txt")
    os.mkfifo(folder / "pipe.txt")
    pages, flaws = read(folder)
    urls = ["a/b.md", "a/z.TXT", "b.txt", "caf\\xe9.txt", "link.txt"]
    assert [(page.number, page.url) for page in pages] == list(enumerate(urls))
    assert flaws == {Flaw.OTHER_FORMAT: 1, Flaw.EMPTY_PAGE: 2, Flaw.UNREADABLE_FILE: 6}
    link = "skipped, it is a link to a folder, a broken link, or may not be read"
    assert [message.partition(" (")[0] for message in caplog.messages] == [
        *(f"{folder}/{name}: {link}" for name in ("broken.pdf", "link", "pipe.txt")),
        f"{folder}: skipped 1 file in another format",
        *(f"empty.{suffix}: skipped, it has no text" for suffix in ("html", "txt")),
        *(f"{name}: skipped, cannot be read" for name in ("noise.txt", "torn.docx", "torn.pdf")),
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [("absent", "absent not found; expected a file or"), ("a.png", r"a\.png: no documents; expected a file")],
)
def test_nothing_to_read_is_an_error(tmp_path, name, message):
    (tmp_path / "a.png").write_bytes(b"PNG")
    with pytest.raises(DocumentsError, match=message):
        read(tmp_path / name)


def test_pages_and_rows_are_cited(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(["It rained."], ["It snowed."]))
    (tmp_path / "b.csv").write_text("year,note\n2004,y\n2005,z")
    pages, _ = read(tmp_path)
    assert [page.url for page in pages] == ["a.pdf#page=1", "a.pdf#page=2", "b.csv#row=2-3"]
    assert pages[1].sentences == ("It snowed.",)


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("Am 3. Mai kam Dr. Müller.", "en"),
        ("2. Cllr. Eves came on Fri. 8 May.", "en"),
        ("Mx. Teale and Cllrs. Eves and Ode made 3.5 mill. tons.", "en"),
        ("It opened on 3. October, Tel.: 12.", "en"),
        ("Am 3. Mai wurde die Brücke in Oslo eröffnet, und viele Menschen sahen zu.", "de"),
        ("Den 3. mai åpnet broen.", "en"),
        ("Le Dr. Martin est venu.", "en"),
        ("Most otwarto 3. maja 1932.", "en"),
        ("It is approx. 5 km long.", "en"),
    ],
)
def test_dates_and_titles_do_not_end_a_sentence(sentence, code):
    assert cut([f"{sentence} It rained."], code) == (sentence, "It rained.")


def test_a_folder_of_other_files_gives_one_line(tmp_path, caplog):
    (tmp_path / "a.txt").write_text("It rained.")
    for number in range(30):
        (tmp_path / f"{number:02}.log").write_text("x")
        (tmp_path / f"{number:02}.md").write_text(" ")
    (tmp_path / "Makefile").write_text("x")
    _, flaws = read(tmp_path)
    assert flaws == {Flaw.OTHER_FORMAT: 31, Flaw.EMPTY_PAGE: 30}
    assert len(caplog.messages) == 12
    assert "skipped 31 files in another format (00.log, 01.log, " in caplog.messages[0]
    assert caplog.messages[-1] == "empty page: 20 more skipped"
