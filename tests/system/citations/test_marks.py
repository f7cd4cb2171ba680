"""Links, footnotes and numbered references are found with the sentence that they stand in or after."""

import time
from contextlib import suppress

import pytest

from knowledge_store.isolation import Limits
from knowledge_store.pages.documents import DocumentsError
from system.citations import checking
from system.citations.checking import citing_of, read_citing

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
lanes.<sup id="r1"><a href="#n1">[1]</a></sup> The bridge is closed.<sup>2</sup></p>
<h2>References</h2><ol><li id="n1"><a href="#r1">^</a> <a href="https://city.example/bridge">City</a></li>
<li>Tourism office, tourism.html</li></ol></body></html>"""
PLAIN = """Corvane

The Aster bridge opened in 1931 [1]. It carries two lanes.[1-2]

Sources

[1] History. https://history.example/aster

[2] An old book, 1999."""


def cited(path):
    citing = read_citing(path)
    assert "[" not in citing.article.text and "http" not in citing.article.text
    return [(one.sentence.claim, one.target) for one in citing.citations]


def test_markdown(tmp_path):
    (tmp_path / "a.md").write_text(MARKDOWN)
    assert cited(tmp_path / "a.md") == [
        ("The Aster bridge opened in 1931.", "https://history.example/aster"),
        ("The Aster bridge carries two lanes.", "https://city.example/bridge"),
        ("The Aster bridge is closed.", "tourism.html"),
        ("The Aster bridge is closed.", "An old book, 1999."),
        ("The Aster bridge’s toll ended in 1950.", "https://tolls.example/a"),
    ]


def test_html(tmp_path):
    (tmp_path / "a.html").write_text(HTML)
    assert cited(tmp_path / "a.html") == [
        ("The Aster bridge opened in 1931.", "https://history.example/aster"),
        ("The Aster bridge carries two lanes.", "https://city.example/bridge"),
        ("The Aster bridge is closed.", "Tourism office, tourism.html"),
    ]


def test_plain_text(tmp_path):
    (tmp_path / "a.txt").write_text(PLAIN)
    assert cited(tmp_path / "a.txt") == [
        ("The Aster bridge opened in 1931.", "https://history.example/aster"),
        ("The Aster bridge carries two lanes.", "https://history.example/aster"),
        ("The Aster bridge carries two lanes.", "An old book, 1999."),
    ]


@pytest.mark.parametrize(
    "text",
    ["The bridge opened in 1932.", "Is [it](https://a.example) old?", "The bridge [sic] opened.", "See [above](#top)."],
)
def test_what_cites_nothing_has_no_citation(text):
    assert citing_of(text).citations == ()


@pytest.mark.parametrize(
    "text", ["[a](", "<a href='#x'>", "[^1]: [^1]", "# [1]\n\n[1]", "\x00 [1](b)", "<ol><li>" * 50]
)
def test_broken_marks_break_nothing(text, tmp_path):
    citing_of(text)
    (tmp_path / "a.html").write_text(f"<p>The bridge opened.</p>{text}<a href='https://a.example'>It is old.</a>")
    with suppress(DocumentsError):  # what is left may cite nothing
        assert read_citing(tmp_path / "a.html").article.text


def test_a_text_that_exceeds_the_limits_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "LIMITS", Limits(seconds=1.0))
    attributes = " ".join(f"a{number}=1" for number in range(100_000))
    (tmp_path / "a.html").write_text(f"<p {attributes}>The bridge opened. <a href='https://a.example'>It is old.</a>")
    with pytest.raises(DocumentsError, match=r"a\.html: cannot be read \(took over 1 s\)"):
        read_citing(tmp_path / "a.html")
    monkeypatch.setattr(checking, "LIMITS", Limits(memory=2**20))
    with pytest.raises(DocumentsError, match=r"text: cannot be read \("):
        citing_of("The bridge [opened](https://a.example) in 1932. " * 20_000)


@pytest.mark.parametrize("page", ["", " ", "<!-- x -->", "<html><!-- x --></html>", "<?x ?>"])
def test_a_page_of_comments_cites_nothing(page, tmp_path):
    (tmp_path / "a.html").write_text(page)
    with pytest.raises(DocumentsError, match="expected links"):
        read_citing(tmp_path / "a.html")


@pytest.mark.parametrize("label", ["²", "^²", "1-²", "٣²"])
def test_a_number_that_is_none_is_no_label(label):
    assert citing_of(f"The bridge opened in 1932 [{label}].").citations == ()


SENTENCES = {
    "numbers": (".txt", "The bridge opened in 1932 [1]. "),
    "links": (".md", "The bridge [opened](https://a.example) in 1932. "),
    "paragraphs": (".html", "<p>The bridge <a href='https://a.example'>opened</a> in 1932."),
    "one paragraph": (".html", "The bridge <a href='https://a.example'>opened</a> in 1932. "),
    "footnotes": (".html", "<p>The bridge opened.<a href='#n'>1</a> <ol><li>It is old.</ol>"),
}


@pytest.mark.parametrize(("suffix", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_time_grows_with_the_number_of_citations_alone(suffix, sentence, tmp_path):
    notes = {".html": "<p id='n'>History, https://a.example</p>"}.get(suffix, "\n\nSources\n\n[1] https://a.example")
    (tmp_path / f"a{suffix}").write_text(sentence * 10_000 + notes)
    begin = time.process_time()
    citing = read_citing(tmp_path / f"a{suffix}")  # which reads the marks within 10 s, or raises
    assert time.process_time() - begin < 10  # it takes two
    assert len(citing.citations) == 10_000
