"""Links, footnotes and numbered references are found with the sentence that they stand in or after."""

import re
import time
from contextlib import suppress

import pytest

from knowledge_store.pages.documents import DocumentsError
from system.citations.marks import citing_of, read_citing
from tests.helpers.documents import docx, paragraph, run

MARKDOWN = """# Corvane

The Aster bridge [opened in 1931](https://history.example/aster). It carries two lanes.[^1] The bridge is closed [2, 3].
Its toll ended in 1950 (https://tolls.example/a). See [the list](#list) or [write](mailto:a@b.example).

[^1]: City of Corvane, https://city.example/bridge

## References

1. Unused.
2. Tourism office: [Visit Corvane](tourism.html)
3. An old book, 1999.
"""
HTML = """<html><head><title>x</title></head><body><nav><a href="/">Home</a></nav><h1>Corvane</h1>
<p>The Aster bridge <a href="https://history.example/aster">opened in 1931</a>. It carries two
lanes.<sup id="r1"><a href="#n1">[1]</a></sup> The bridge is closed.<sup><a href="#n2">2</a></sup></p>
<h2>References</h2><ol><li id="n1"><a href="#r1">^</a> <a href="https://city.example/bridge">City</a></li>
<li id="n2">Tourism office, tourism.html</li></ol></body></html>"""
FILES = {
    "a.md": (
        MARKDOWN,
        [
            ("The Aster bridge opened in 1931.", "https://history.example/aster"),
            ("It carries two lanes.", "https://city.example/bridge"),
            ("The bridge is closed.", "tourism.html"),
            ("The bridge is closed.", "An old book, 1999."),
            ("Its toll ended in 1950.", "https://tolls.example/a"),
        ],
    ),
    "a.html": (
        HTML,
        [
            ("The Aster bridge opened in 1931.", "https://history.example/aster"),
            ("It carries two lanes.", "https://city.example/bridge"),
            ("The bridge is closed.", "Tourism office, tourism.html"),
        ],
    ),
    "a.txt": (
        "The bridge opened [1]. It carries two lanes.[1-2]\n\nSources\n\n[1] B. https://a.example\n\n[2] An old book.",
        [("The bridge opened.", "https://a.example")]
        + [("It carries two lanes.", target) for target in ("https://a.example", "An old book.")],
    ),
    "lines.html": (
        "<p>The bridge opened [2].</p><h2>References</h2><p>[1] A book, 1999<br>[2] https://a.example</p>",
        [("The bridge opened.", "https://a.example")],
    ),
    "raised.txt": (
        "The bridge opened in 1931¹ and is 20 m² wide.² It is old.\n\n¹ history.txt, p. 3\n² an old book",
        [("The bridge opened in 1931 and is 20 m² wide.", target) for target in ("history.txt, p. 3", "an old book")],
    ),
}


def found(text):
    citing = citing_of(text)
    return [(one.sentence.claim, one.mark, one.target) for one in citing.citations], citing.unresolved


@pytest.mark.parametrize("name", FILES)
def test_marks_lead_to_their_sources_and_leave_the_text(name, tmp_path):
    content, citations = FILES[name]
    (tmp_path / name).write_text(content)
    citing = read_citing(tmp_path / name)
    assert "[" not in citing.article.text and "http" not in citing.article.text
    assert [(one.sentence.claim, one.target) for one in citing.citations] == citations


def test_links_of_a_word_file(tmp_path):
    link = f'<w:hyperlink r:id="r1">{run("opened in 1932")}</w:hyperlink>'
    body = paragraph(run("The Aster bridge ") + link + run(". Its toll ended, see https://b.example/x_(y)."))
    (tmp_path / "a.docx").write_bytes(docx(body, {"r1": "https://a.example/1"}))
    assert [(one.sentence.claim, one.mark, one.target) for one in read_citing(tmp_path / "a.docx").citations] == [
        ("The Aster bridge opened in 1932.", "opened in 1932", "https://a.example/1"),
        ("Its toll ended.", "https://b.example/x_(y)", "https://b.example/x_(y)"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("The bridge opened in 1932.", "Is [it](https://a.example) old?", "The bridge [sic] opened."),
        *("See [above](#top).", "* * *", "The bridge opened in 1932 [²].", "It is 10⁻³ km³ of CO₂, or 10¹²."),
    ],
)
def test_what_cites_nothing_has_no_citation(text):
    assert citing_of(text).citations == ()


@pytest.mark.parametrize(
    "text", ["[a](", "<a href='#x'>", "[^1]: [^1]", "# [1]\n\n[1]", "\x00 [1](b)", "<ol><li>" * 50, "\U000f0000\ue001"]
)
def test_broken_marks_break_nothing(text, tmp_path):
    citing_of(text)
    (tmp_path / "a.html").write_text(f"<p>The bridge opened.</p>{text}<a href='https://a.example'>It is old.</a>")
    with suppress(DocumentsError):  # what remains may cite nothing
        assert read_citing(tmp_path / "a.html").article.text


@pytest.mark.parametrize(
    ("suffix", "sentence"),
    [
        (".txt", "The bridge opened ((( [1], see https://a.example. "),
        (".html", "<p>The <a href='a.txt'>bridge</a> opened."),
    ],
)
def test_time_grows_with_the_number_of_citations_alone(suffix, sentence, tmp_path):
    (tmp_path / f"a{suffix}").write_text(sentence * 10_000 + "\n\nSources\n\n[1] https://a.example")
    begin = time.process_time()
    citing = read_citing(tmp_path / f"a{suffix}")  # which reads the marks within 10 s, or raises
    assert time.process_time() - begin < 10
    assert len(citing.citations) == 10_000


@pytest.mark.parametrize(
    "references",
    [
        "## References\n\n[1] A book, 1999\n[2] History. https://a.example",
        "## References\n\n[1] a book, 1999\n[2] history. https://a.example",
        "[1] A book, 1999\n[2] History. https://a.example",
        "[1] A book, 1999\n[2] history, https://a.example",
        "Sources:\n\n- A book, 1999\n- https://a.example",
        "## Notes\n\n1. A book, 1999\n2. [History](https://a.example)",
    ],
)
def test_references_may_stand_in_many_ways(references):
    citations, unresolved = found(f"The bridge opened in 1932 [2]. It was [1] long.\n\n{references}")
    assert [(*cited, target.capitalize()) for *cited, target in citations] == [
        ("The bridge opened in 1932.", "[2]", "Https://a.example"),
        ("It was long.", "[1]", "A book, 1999"),
    ]
    assert not unresolved


OPENED = "The bridge opened in 1932."


@pytest.mark.parametrize(
    ("text", "claim", "targets"),
    [
        ("The bridge opened in 1932, see https://a.example/_(bridge).", OPENED, "https://a.example/_(bridge)"),  # all
        ("The bridge opened in 1932 (https://a.example/a_(b)).", OPENED, "https://a.example/a_(b)"),
        ("The bridge opened in 1932 <https://a.example/a,b>.", OPENED, "https://a.example/a,b"),
        ("The bridge [opened](https://a.example/a_(b)) in 1932.", OPENED, "https://a.example/a_(b)"),
        ("The **bridge** *has* “https://a.example/a” it.", "The bridge has “” it.", "https://a.example/a"),
        # Words that only point to a source go.
        ("The bridge opened in 1932 [source][1].\n\n[1]: a.txt", OPENED, "a.txt"),
        ("The bridge opened in 1932 ([source](a.txt)).", OPENED, "a.txt"),
        ("The bridge opened in 1932 [a.txt](a.txt).", OPENED, "a.txt"),
        ("The bridge opened in 1932 ([1](a.txt)). Is it old?", OPENED, "a.txt"),
        ("The bridge opened[ in 1932](a.txt) ([report](b.txt); [final](c.txt)).", OPENED, "a.txt b.txt c.txt"),
        ("The bridge opened in 1932. [Source](a.txt) Is it old?", OPENED, "a.txt"),
        ("The brid\u00adge opened in 1932 [sou\u00adrce](a.txt).", OPENED, "a.txt"),
        ("The bridge opened in 1932 (see https://a.example, p. 4).", OPENED, "https://a.example"),
        ("The bridge [opened in 1932](a.txt).", OPENED, "a.txt"),  # words that a claim needs stay
        ("The bridge is [here](a.txt).", "The bridge is here.", "a.txt"),
        ("The site [a.example](https://a.example) opened.", "The site a.example opened.", "https://a.example"),
        ("According to [the archive](a.txt), it opened.", "According to the archive, it opened.", "a.txt"),
        ("The bridge ([opened in 1932](a.txt)) is long.", "The bridge (opened in 1932) is long.", "a.txt"),
        ("The bridge opened in 1932 [1–3].", OPENED, "A B C"),  # one mark may lead to several sources
        ("The bridge opened in 1932 [1], [3].", OPENED, "A C"),
        ("The bridge opened in 1932.<sup>1, 3</sup>", OPENED, "A C"),
        ("The bridge opened in 1932 [1, pp. 2-3].", OPENED, "A"),
        ("The bridge opened in 1932 [see 1: 4][ 3 ].", OPENED, "A C"),
        ("---\ntitle: A bridge\n---\nThe bridge opened in 1932.[^a]\n\n[^a]: a.txt", OPENED, "a.txt"),
        ("The ![photo](a.png) bridge opened in 1932 [1].", OPENED, "A"),
        ("- The bridge opened in 1932 [1]", OPENED, "A"),
        ("The bridge opened in 1932.^[https://a.example]", OPENED, "https://a.example"),
    ],
)
def test_a_mark_leaves_a_whole_sentence_and_leads_to_its_sources(text, claim, targets):
    citations, _ = found(f"{text}\n\n## References\n\n1. A\n2. B\n3. C")
    assert {one for one, _, _ in citations} == {claim} and [target for _, _, target in citations] == targets.split()


def test_a_note_may_be_cited_again():
    citations, _ = found("It is old.[^a] It opened in 1932.[^a]\n\nIt is long.[^a]\n\n[^a]: a.txt")
    assert citations == [(text, "[^a]", "a.txt") for text in ("It is old.", "It opened in 1932.", "It is long.")]


def test_a_line_that_begins_with_a_mark_may_be_prose():
    text = "The bridge opened in 1932\n[1] and is closed.\n\n[1] https://a.example"
    assert found(text) == ([("The bridge opened in 1932 and is closed.", "[1]", "https://a.example")], ())


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("It opened in 1932 [7]. It closed.[^b] It is old.", "2 marks without a reference: [7], [^b]"),
        *(("It opened in 1932.", "none in a statement"), ("# Corvane", "no statement")),
    ],
)
def test_what_can_not_be_checked_is_named(text, got, tmp_path):
    (tmp_path / "a.md").write_text(text)
    with pytest.raises(DocumentsError, match=f"got {re.escape(got)}$"):
        read_citing(tmp_path / "a.md")
