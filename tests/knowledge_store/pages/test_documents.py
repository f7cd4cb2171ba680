"""One's own documents: text, Markdown and HTML become pages; what cannot be read is named."""

from pathlib import Path

import orjson
import pytest

from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.page import Flaw, Flaws, Page
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


def read(path: Path) -> tuple[list[Page], Flaws]:
    flaws = Flaws()
    return list(read_documents(path, flaws)), flaws


def sentences(file: Path) -> tuple[str, ...]:
    pages, flaws = read(file)
    assert not flaws
    return pages[0].sentences


def test_text_is_cut_into_sentences(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Dr. Smith arrived\nlate. He paid $3.50.\n\nThen he left.")
    assert sentences(tmp_path / "a.txt") == ("Dr. Smith arrived late.", "He paid $3.50.", "Then he left.")


def test_markdown_loses_its_markup(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)
    text = " ".join(sentences(tmp_path / "a.md"))
    assert text.startswith("A small title A line that is wrapped, with a link and code. A second sentence. first item")
    assert text.endswith("year value 2020 12% x = 1")


def test_html_keeps_the_article_alone(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(ARTICLE)
    found = sentences(tmp_path / "a.html")
    assert "Prices fall" in found, "a heading is no part of the sentence after it"
    text = " ".join(found)
    assert "prices fell by 3.2 percent in May, the largest fall since 2021." in text
    assert "survey of forty banks" in text
    assert "Home" not in text and "Cookie" not in text


def test_html_too_short_for_extraction_is_taken_whole(tmp_path: Path) -> None:
    (tmp_path / "a.htm").write_text("<p>Two</p><p>words")
    assert " ".join(sentences(tmp_path / "a.htm")).split() == ["Two", "words"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
def test_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    text = "Министр заявил во вторник, что цены на рыбу упали на три процента по сравнению с прошлым годом."
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert sentences(tmp_path / "a.txt") == (text,)


def test_a_guessed_encoding_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.txt").write_bytes("Это текст на русском языке в старой кодировке.".encode("cp1251"))
    read(tmp_path)
    assert caplog.messages == ["a.txt: not UTF-8, read as cp1251"]


def test_a_folder_is_read_to_any_depth_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.TXT", "a/b.md", "c.pdf", ".git/d.txt", ".e.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"This is {name}.")
    pages, _ = read(tmp_path)
    assert [(page.number, page.url) for page in pages] == [(0, "a/b.md"), (1, "a/z.TXT"), (2, "b.txt")]


def test_files_without_text_are_counted_and_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "empty.html").write_text("")
    (tmp_path / "noise.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "text.txt").write_text("Text.")
    pages, flaws = read(tmp_path)
    assert [(page.number, page.url) for page in pages] == [(0, "text.txt")]
    assert flaws == {Flaw.EMPTY_PAGE: 2, Flaw.UNREADABLE_FILE: 1}
    assert caplog.messages == [
        "empty.html: left out, it has no text",
        "empty.txt: left out, it has no text",
        "noise.txt: left out, cannot be read (not text in any known encoding)",
    ]


def test_a_store_is_read_as_a_store(tmp_path: Path) -> None:
    store = tmp_path / "0.json"
    store.write_bytes(orjson.dumps({"url": "https://a.example/", "url2text": ["One.", "Two."]}))
    assert read(store)[0] == [Page(0, "https://a.example/", ("One.", "Two."))]


@pytest.mark.parametrize(
    ("name", "message"),
    [("absent", "absent does not exist; expected a file or"), ("a.pdf", r"no document at .*a\.pdf")],
)
def test_nothing_to_read_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    with pytest.raises(DocumentsError, match=message):
        read(tmp_path / name)


def test_documents_are_ranked_like_a_store(tmp_path: Path) -> None:
    for number, text in enumerate(["Fish fell.", "The zebra crossed.", "Rain fell.", "fish  FELL."]):
        (tmp_path / f"{number}.txt").write_text(text)
    flaws = Flaws()
    ranked = rank(read_documents(tmp_path, flaws), "A zebra?", RetrievalSettings(), flaws=flaws)
    assert [passage.url for passage in ranked.passages] == ["1.txt", "0.txt", "2.txt"]
    assert ranked.report.flaws == {Flaw.MIRROR: 1}
