"""One's own documents: text, Markdown and HTML become pages; what cannot be read is named."""

import os
from io import BytesIO, TextIOWrapper
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import orjson
import pytest

from knowledge_store.isolation import LIMITS, Workers
from knowledge_store.pages import documents, formats, reading
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.page import Flaw, Flaws, Page
from knowledge_store.pages.sentences import sentences_of
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings

ARTICLE = """<html><head><title>News</title></head><body><nav><a href="/">Home</a> <a href="/all">All topics</a></nav>
<article><h1>Prices fall</h1><p>The bureau said on Tuesday that prices fell by 3.2 percent in May, the largest fall
since 2021.</p><p>Economists had expected a smaller change, according to a survey of forty banks.</p></article>
<footer>Cookie settings</footer></body></html>"""

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


def read(*paths: Path | str) -> tuple[list[Page], Flaws]:
    flaws = Flaws()
    return list(read_documents(paths, flaws)), flaws


def pdf(*pages: list[str]) -> bytes:
    """A PDF with the lines of each page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        stream = f"BT /F1 12 Tf 50 780 Td {shown}ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(data)}\n"
    )
    return data + end.encode() + b"%%EOF\n"


def sentences(file: Path) -> tuple[str, ...]:
    pages, flaws = read(file)
    assert not flaws
    return tuple(sentence for page in pages for sentence in page.sentences)


def test_text_is_cut_into_sentences(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Dr. Smith arrived\nlate. He paid $3.50.\n\nThen he left.")
    assert sentences(tmp_path / "a.txt") == ("Dr. Smith arrived late.", "He paid $3.50.", "Then he left.")


def test_markdown_loses_its_markup(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)
    assert sentences(tmp_path / "a.md") == (
        "A small title\n\n",
        "A line that is wrapped, with a link and code.",
        "A second sentence.",
        "first item\n\n",
        "second item\n\n",
        "year: 2020, value: 12%\n\n",
        "x = 1",
    )


def test_html_keeps_the_article_alone(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(ARTICLE)
    found = sentences(tmp_path / "a.html")
    assert "Prices fall\n\n" in found, "a heading is no part of the sentence after it"
    text = " ".join(found)
    assert "prices fell by 3.2 percent in May, the largest fall since 2021." in text
    assert "survey of forty banks" in text
    assert "Home" not in text and "Cookie" not in text


def test_html_too_short_for_extraction_is_taken_whole(tmp_path: Path) -> None:
    (tmp_path / "a.htm").write_text("<script>no</script><p>Two\n<b>more</b></p><p>words")
    assert sentences(tmp_path / "a.htm") == ("Two more\n\n", "words")


@pytest.mark.parametrize("text", ["<p>Two\x0bwords</p>", "Two&#11;words", "<p>Two<!-- a --> <?b?>words</p>"])
def test_reads_html_with_characters_that_xml_forbids(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.html").write_text(text)
    assert sentences(tmp_path / "a.html") == ("Two words",)


def test_html_of_comments_alone_has_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<!-- nothing -->")
    with pytest.raises(DocumentsError, match="no text"):
        sentences(tmp_path / "a.html")


def test_a_heading_of_short_html_stands_alone(tmp_path: Path) -> None:
    text = "<html><body><h1>Visit Corvane</h1><p>The old bridge is closed to lorries.</p></body></html>"
    (tmp_path / "a.html").write_text(text)
    assert sentences(tmp_path / "a.html") == ("Visit Corvane\n\n", "The old bridge is closed to lorries.")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
def test_recognizes_encodings(tmp_path: Path, encoding: str) -> None:
    text = "Министр заявил во вторник, что цены на рыбу упали на три процента по сравнению с прошлым годом."
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert sentences(tmp_path / "a.txt") == (text,)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("iso2022_jp", "東京の橋は開通した。"),
        ("iso2022_kr", "서울의 다리는 개통되었다."),
        ("hz", "北京的大桥开通。"),
        ("utf_16_le", "The bridge is open."),
        ("utf_16_be", "The bridge is open."),
        ("utf_32_le", "The bridge is open."),
        ("utf_7", "\ufeffDie Brücke ist offen."),
    ],
)
def test_recognizes_encodings_that_look_like_utf8(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, encoding: str, text: str
) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert sentences(tmp_path / "a.txt") == (text.removeprefix("\ufeff"),)
    assert caplog.messages == [f"a.txt: not UTF-8, read as {encoding}"]


@pytest.mark.parametrize("data", [b"It rained.\0\0\0 It snowed.", b"\x1b$B66!#\x1b(B"])
def test_what_no_encoding_fits_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(DocumentsError, match="unreadable file 1"):
        read(tmp_path)
    assert caplog.messages == ["a.txt: skipped, cannot be read (not text in any known encoding)"]


@pytest.mark.parametrize("text", ["Go ~{home}~ now.", "\x1b[31mIt\x1b[0m rained."])
def test_what_only_looks_like_another_encoding_is_utf8(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert sentences(tmp_path / "a.txt") == (text,)


def test_a_page_of_html_names_its_encoding(tmp_path: Path) -> None:
    text = '<html><head><meta charset="windows-1257"></head><body><p>Tiltas atidarytas ąčę.</p></body></html>'
    (tmp_path / "a.html").write_bytes(text.encode("cp1257"))
    assert sentences(tmp_path / "a.html") == ("Tiltas atidarytas ąčę.",)


def test_reports_a_guessed_encoding(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.txt").write_bytes("Это текст на русском языке в старой кодировке.".encode("cp1251"))
    read(tmp_path)
    assert caplog.messages == ["a.txt: not UTF-8, read as cp1251"]


def test_a_pdf_is_unwrapped(tmp_path: Path) -> None:
    page = [
        "Bridges",
        "The Aster bridge was opened to traf-",
        "fic in May 1932, said the minis-",
        "try.",
        "It is closed to lorries now.",
    ]
    (tmp_path / "a.pdf").write_bytes(pdf(page, ["Second page."]))
    assert sentences(tmp_path / "a.pdf") == (
        "Bridges\n\n",
        "The Aster bridge was opened to traffic in May 1932, said the ministry.",
        "It is closed to lorries now.",
        "Second page.",
    )


def test_letters_that_a_pdf_draws_as_one_are_read_apart(tmp_path: Path) -> None:
    drawn = pdf(["The \\256nal was \\257ooded."]).replace(b"Helvetica", b"Helvetica /Encoding /StandardEncoding")
    (tmp_path / "a.pdf").write_bytes(drawn)
    assert sentences(tmp_path / "a.pdf") == ("The final was flooded.",)


def test_a_short_line_of_a_pdf_ends_no_sentence(tmp_path: Path) -> None:
    page = [
        "Corvane",
        "the city. The old",
        "bridge is closed to lorries.",
        "a. cars",
        "b. bicycles",
        "A footer of one line, as long as three",
    ]
    (tmp_path / "a.pdf").write_bytes(pdf(page))
    assert [one.strip() for one in sentences(tmp_path / "a.pdf")][:4] == [
        "Corvane", "the city.", "The old bridge is closed to lorries.", "a. cars",
    ]  # fmt: skip


def test_a_damaged_page_of_a_pdf_leaves_the_others(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = pdf(["It rained."], ["It snowed."], ["It hailed."], ["It thawed."])
    for line in (b"(It snowed.)", b"(It hailed.)"):
        data = data.replace(line, line[:-1] + b"(")  # which nothing closes
    (tmp_path / "a.pdf").write_bytes(data)
    pages, _ = read(tmp_path)
    assert [page.url for page in pages] == ["a.pdf#page=1", "a.pdf#page=4"]
    assert caplog.messages == ["a.pdf: pages 2, 3 skipped, damaged (Stream has ended unexpectedly)"]


def test_a_pdf_of_damaged_pages_cannot_be_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(["It rained."]).replace(b"rained.)", b"rained.("))
    with pytest.raises(DocumentsError, match="unreadable file 1"):
        read(tmp_path)
    assert caplog.messages == ["a.pdf: skipped, cannot be read (damaged (Stream has ended unexpectedly))"]


@pytest.mark.parametrize(("shown", "named"), [(b"/A Do ABCD", True), (b"(    )  Tj", False), (b"%         ", True)])
def test_a_page_of_a_pdf_without_text_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, shown: bytes, named: bool
) -> None:
    line = b"(It snowed.) Tj"
    data = pdf(["It rained."], ["It snowed."], []).replace(line, shown.ljust(len(line)))
    if shown.startswith(b"%"):
        data = data.replace(b"BT /F1 12 Tf 50 780 Td %", b"%" * 24)
    (tmp_path / "a.pdf").write_bytes(data)
    assert [page.url for page in read(tmp_path)[0]] == ["a.pdf#page=1"]
    assert [message.partition(",")[0] for message in caplog.messages] == ["a.pdf: page 2 skipped"] * named


def test_halves_of_surrogate_pairs_become_text_that_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats.READERS, ".txt", lambda *_: [("", ["It rained \ud83d."])])
    assert list(formats.parts_of(b"", ".txt", "a")) == [("", ["It rained \ufffd."])]
    (page,) = documents.page_of_text(0, "a", "It rained \ud83d.", Flaws())
    assert page.sentences == ("It rained \ufffd.",)


def test_a_damaged_table_of_a_docx_leaves_the_rest(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    document = docx.Document()
    document.add_paragraph("It rained.")
    first = document.add_table(rows=1, cols=1).cell(0, 0)
    first._tc.vMerge = "continue"  # of a cell above the first row
    document.save(str(tmp_path / "a.docx"))
    (tmp_path / "b.docx").write_text("no Word document")
    assert [page.url for page in read(tmp_path)[0]] == ["a.docx"]
    assert caplog.messages[0].startswith("a.docx: table 1 skipped, damaged (")
    assert caplog.messages[1].startswith("b.docx: skipped, cannot be read (expected a Word document (.docx): ")


def test_a_docx_keeps_headings_and_rows_apart(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Prices fall", 1)
    document.add_paragraph("Fish fell. Corn rose.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["year", "value", "2020", "12%"], strict=True):
        cell.text = text
    document.add_paragraph("The end.")
    document.save(str(tmp_path / "a.docx"))
    expected = ("Prices fall\n\n", "Fish fell.", "Corn rose.", "year: 2020, value: 12%\n\n", "The end.")
    assert sentences(tmp_path / "a.docx") == expected


def test_leaves_out_a_docx_bomb(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    docx.Document().save(str(tmp_path / "a.docx"))
    with ZipFile(tmp_path / "a.docx", "a", ZIP_DEFLATED) as archive, archive.open("bomb", "w") as part:
        for _ in range(257):
            part.write(bytes(2**20))
    with pytest.raises(DocumentsError, match=r"no text in .*; unreadable file 1"):
        read(tmp_path)
    assert "a.docx: skipped, cannot be read (expected at most 256 MiB when unpacked" in caplog.text


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_each_row_of_a_csv_can_be_read_alone(tmp_path: Path, separator: str) -> None:
    rows = [["town", "people"], ["Oslo", '"1 million"'], ["Bergen", "300"], ["Ås", ""]]
    (tmp_path / "a.csv").write_text("\n".join(separator.join(row) for row in rows))
    assert sentences(tmp_path / "a.csv") == (
        "town: Oslo, people: 1 million\n\n",
        "town: Bergen, people: 300\n\n",
        "town: Ås",
    )


@pytest.mark.parametrize("ends", ["\r", "\r\n", "\n"])
def test_a_csv_may_have_any_ends_of_lines_and_long_cells(tmp_path: Path, ends: str) -> None:
    (tmp_path / "a.csv").write_bytes(ends.join(["town;note", "Oslo;" + "x" * 200_000, "Bergen;rain"]).encode())
    assert sentences(tmp_path / "a.csv")[-1] == "town: Bergen, note: rain"


def test_sentences_are_cut_by_the_rules_of_their_language() -> None:
    german = "Am 3. Mai wurde die Brücke in Oslo eröffnet, und viele Menschen sahen zu. " * 3
    assert sentences_of(german) == (german[:73],) * 3


def test_the_model_of_languages_is_loaded_before_the_time_of_a_document_runs() -> None:
    workers = Workers(1)
    told = "__import__('py3langid').langid.IDENTIFIER is not None"
    assert workers.call(LIMITS, eval, told, load=reading._loaded(".txt"))
    workers.close()


def test_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (b"It rained.", b"<html><body><p>It rained.</p></body></html>", pdf(["It rained."])):
        monkeypatch.setattr(documents.sys, "stdin", TextIOWrapper(BytesIO(data)))
        (page,) = read("-")[0]
        assert (page.url.partition("#")[0], page.sentences) == ("standard input", ("It rained.",))


def test_several_sources_keep_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/x.txt", "b/x.txt"):
        Path(name).parent.mkdir()
        Path(name).write_text(f"This is {name}.")
    store = tmp_path / "s.json"
    store.write_bytes(orjson.dumps({"url": "https://a.example/", "url2text": ["One."]}))
    pages, _ = read("a", "s.json", "b/x.txt")
    assert [(page.number, page.url) for page in pages] == [(0, "a/x.txt"), (1, "https://a.example/"), (2, "b/x.txt")]


def test_an_address_is_fetched_only_on_request(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(DocumentsError, match="allow it with the option fetch"):
        read("https://a.example/")
    with pytest.raises(DocumentsError, match="no text in"):
        list(read_documents("http://127.0.0.1:9/", Flaws(), fetch=True))
    assert caplog.messages == ["http://127.0.0.1:9/: skipped, 127.0.0.1 is not on the open Internet (127.0.0.1)"]


def test_a_folder_is_read_to_any_depth_in_order_of_names(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("b.txt", "a/z.TXT", "a/b.md", "c.png", ".git/d.txt", ".e.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"This is {name}.")
    pages, flaws = read(tmp_path)
    assert [(page.number, page.url) for page in pages] == [(0, "a/b.md"), (1, "a/z.TXT"), (2, "b.txt")]
    assert flaws == {Flaw.OTHER_FORMAT: 1}
    assert caplog.messages[0].startswith(f"{tmp_path}: skipped 1 .png (c.png); expected files ending in .csv, ")


def test_a_name_that_is_not_utf8_can_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name, text in ((b"caf\xe9.txt", "It rained."), (b"\xe9.txt", ""), (b"\xe9.png", "")):
        (tmp_path / os.fsdecode(name)).write_text(text)
    pages, _ = read(tmp_path)
    assert [page.url for page in pages] == ["caf\\xe9.txt"]
    assert "(\\xe9.png)" in caplog.messages[0]
    assert caplog.messages[1] == "\\xe9.txt: skipped, it has no text"


def test_counts_and_names_files_without_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "empty.html").write_text("")
    (tmp_path / "noise.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "text.txt").write_text("Text.")
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
    (tmp_path / "torn.docx").write_bytes(b"PK")
    pages, flaws = read(tmp_path)
    assert [(page.number, page.url) for page in pages] == [(0, "text.txt")]
    assert flaws == {Flaw.EMPTY_PAGE: 2, Flaw.UNREADABLE_FILE: 3}
    assert caplog.messages[:3] == [
        "empty.html: skipped, it has no text",
        "empty.txt: skipped, it has no text",
        "noise.txt: skipped, cannot be read (not text in any known encoding)",
    ]
    assert [message.partition(" (")[0] for message in caplog.messages[3:]] == [
        "torn.docx: skipped, cannot be read",
        "torn.pdf: skipped, cannot be read",
    ]


def test_what_is_passed_over_in_a_folder_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "a"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "b.txt").write_text("It rained.")
    (folder / "broken.pdf").symlink_to("nowhere")
    (folder / "link").symlink_to(tmp_path)
    (folder / "link.txt").symlink_to("sub/b.txt")
    (folder / ".hidden").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.txt")
    pages, flaws = read(folder)
    assert [page.url for page in pages] == ["link.txt", "sub/b.txt"]
    assert flaws == {Flaw.UNREADABLE_FILE: 3}
    assert caplog.messages == [
        f"{folder}/broken.pdf: skipped, it is a broken link",
        f"{folder}/link: skipped, it is a link to a folder",
        f"{folder}/pipe.txt: skipped, it is neither a file nor a folder",
    ]


def test_reads_a_store_as_a_store(tmp_path: Path) -> None:
    store = tmp_path / "0.json"
    store.write_bytes(orjson.dumps({"url": "https://a.example/", "url2text": ["One.", "Two."]}))
    assert read(store)[0] == [Page(0, "https://a.example/", ("One.", "Two."))]


@pytest.mark.parametrize(
    ("name", "message"),
    [("absent", "absent not found; expected a file or"), ("a.png", r"a\.png: no documents; expected a file")],
)
def test_nothing_to_read_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "a.png").write_bytes(b"PNG")
    with pytest.raises(DocumentsError, match=message):
        read(tmp_path / name)


def test_documents_are_ranked_like_a_store(tmp_path: Path) -> None:
    for number, text in enumerate(["Fish fell.", "The zebra crossed.", "Rain fell.", "fish  FELL."]):
        (tmp_path / f"{number}.txt").write_text(text)
    flaws = Flaws()
    ranked = rank(read_documents(tmp_path, flaws), "A zebra?", RetrievalSettings(), flaws=flaws)
    assert [passage.url for passage in ranked.passages] == ["1.txt", "0.txt", "2.txt"]
    assert ranked.report.flaws == {Flaw.MIRROR: 1}


def test_pages_and_rows_are_cited(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(["It rained."], ["It snowed."]))
    rows = [f"{year},{'x' * 600}" for year in range(2000, 2003)]
    (tmp_path / "b.csv").write_text("\n".join(["year,note", *rows, "", "2004,y", "2005,z"]))
    pages, _ = read(tmp_path)
    assert [(page.number, page.url) for page in pages] == [
        (0, "a.pdf#page=1"), (1, "a.pdf#page=2"), (2, "b.csv#row=2"), (3, "b.csv#row=3"), (4, "b.csv#row=4-7"),
    ]  # fmt: skip
    assert pages[1].sentences == ("It snowed.",)


def test_soft_hyphens_vanish(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Die Ver&shy;waltung spricht.</p>")
    assert sentences(tmp_path / "a.html") == ("Die Verwaltung spricht.",)
    lines = ["The whole new adminis\\255", "tration spoke to us in May."]  # \255 is a hyphen in this encoding
    (tmp_path / "b.pdf").write_bytes(pdf(lines).replace(b"Helvetica", b"Helvetica /Encoding /WinAnsiEncoding"))
    assert sentences(tmp_path / "b.pdf") == ("The whole new administration spoke to us in May.",)


@pytest.mark.parametrize(
    "sentence",
    [
        "Am 3. Mai kam Dr. Müller.",
        "Den 3. mai åpnet broen.",
        "Le Dr. Martin est venu.",
        "Most otwarto 3. maja 1932.",
        "Der Bau begann im 19. Jahrhundert.",
        "Der 1. FC Aster gewann das Spiel.",
        "It is approx. 5 km long.",
    ],
)
def test_dates_and_titles_do_not_end_a_sentence(sentence: str) -> None:
    assert sentences_of(f"{sentence} It rained.") == (sentence, "It rained.")


def test_short_html_loses_menus_and_banners(tmp_path: Path) -> None:
    text = """<body><nav>Home</nav><div id="CookieBanner">We use cookies. <button>Accept</button></div>
    <div role="dialog">Subscribe!</div><p>It rained.</p><footer>Imprint</footer></body>"""
    (tmp_path / "a.html").write_text(text)
    assert sentences(tmp_path / "a.html") == ("It rained.",)


def test_a_folder_of_other_files_gives_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.txt").write_text("It rained.")
    for number in range(30):
        (tmp_path / f"{number:02}.log").write_text("x")
        (tmp_path / f"{number:02}.md").write_text(" ")
    (tmp_path / "Makefile").write_text("x")
    _, flaws = read(tmp_path)
    assert flaws == {Flaw.OTHER_FORMAT: 31, Flaw.EMPTY_PAGE: 30}
    assert len(caplog.messages) == 12
    assert "skipped 30 .log, 1 without an ending (00.log, 01.log, " in caplog.messages[0]
    assert caplog.messages[-1] == "empty page: 20 more skipped"
