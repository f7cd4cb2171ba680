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
        ("It carries two lanes.", "https://city.example/bridge"),
        ("The bridge is closed.", "tourism.html"),
        ("The bridge is closed.", "An old book, 1999."),
        ("Its toll ended in 1950.", "https://tolls.example/a"),
    ]


def test_html(tmp_path):
    (tmp_path / "a.html").write_text(HTML)
    assert cited(tmp_path / "a.html") == [
        ("The Aster bridge opened in 1931.", "https://history.example/aster"),
        ("It carries two lanes.", "https://city.example/bridge"),
        ("The bridge is closed.", "Tourism office, tourism.html"),
    ]


def test_plain_text(tmp_path):
    (tmp_path / "a.txt").write_text(PLAIN)
    assert cited(tmp_path / "a.txt") == [
        ("The Aster bridge opened in 1931.", "https://history.example/aster"),
        ("It carries two lanes.", "https://history.example/aster"),
        ("It carries two lanes.", "An old book, 1999."),
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


def found(text):
    citing = citing_of(text)
    return [(one.sentence.claim, one.mark, one.target) for one in citing.citations], citing.unresolved


@pytest.mark.parametrize(
    "text",
    [
        "The bridge opened in 1932 [archive](a.txt).",
        "The bridge opened in 1932 [archive][1].\n\n[1]: a.txt",
        "The bridge opened in 1932 [according to the archive](a.txt).",
        "The bridge opened in 1932, according to [the archive](a.txt).",
        "The bridge opened in 1932 ([source](a.txt)).",
        "The bridge opened in 1932 ([Corvane Times, 2019](a.txt); [BBC](b.txt)).",
        "The bridge opened in 1932, see [here](a.txt).",
        "The bridge opened in 1932 [a.txt](a.txt).",
        "The bridge opened in 1932 ([1](a.txt)).",
        "The bridge opened in 1932 ([the full report](a.txt), [Zentralblatt der Bauverwaltung](b.txt)).",
        "The bridge opened in 1932. [Source](a.txt)",
        "The bridge opened in 1932. [Source](a.txt) Is it old?",
        "The brid\u00adge opened in 1932 [arch\u00adive](a.txt).",
    ],
)
def test_words_that_only_point_to_a_source_are_no_claim(text):
    citations, _ = found(text)
    assert citations[0][0] == "The bridge opened in 1932." and citations[0][2] == "a.txt"


@pytest.mark.parametrize(
    "text",
    [
        "The bridge [opened in 1932](a.txt).",
        "The bridge is [here](a.txt).",
        "The bridge was built by [Ana Vell](a.txt).",
        "The report was published in [the archive](a.txt).",
        "The site [a.example](https://a.example) opened in 1932.",
        "According to [the archive](a.txt), the bridge opened in 1932.",
        "The bridge ([opened in 1932](a.txt)) is long.",
        "The bridge opened ([in May 1932](a.txt)).",
        "The bridge is long ([4,200 metres](a.txt)).",
    ],
)
def test_words_that_a_claim_needs_stay(text):
    ((claim, mark, _),), _ = found(text)
    assert mark in claim


def test_html_links_point_too(tmp_path):
    (tmp_path / "a.html").write_text('<p>The bridge opened in 1932 <a href="a.txt">archive</a>. It is <b>long</b>.</p>')
    assert cited(tmp_path / "a.html") == [("The bridge opened in 1932.", "a.txt")]


@pytest.mark.parametrize(
    "references",
    [
        "## References\n\n[1] A book, 1999\n[2] History. https://a.example",
        "References\n[1] A book, 1999\n[2] History. https://a.example",
        "[1] A book, 1999\n[2] History. https://a.example",
        "[1] A book, 1999\n\n[2] https://a.example",
    ],
)
def test_references_may_stand_on_consecutive_lines(references):
    citations, unresolved = found(f"The bridge opened in 1932 [2]. It was [1] long.\n\n{references}")
    assert [(mark, target) for _, mark, target in citations] == [("[2]", "https://a.example"), ("[1]", "A book, 1999")]
    assert not unresolved


def test_references_of_html_may_stand_on_lines(tmp_path):
    page = "<p>The bridge opened [2].</p><h2>References</h2><p>[1] A book, 1999<br>[2] https://a.example</p>"
    (tmp_path / "a.html").write_text(page)
    assert cited(tmp_path / "a.html") == [("The bridge opened.", "https://a.example")]


def test_a_reference_may_stand_right_below():
    assert found("The bridge opened in 1932. [1]\n[1] https://a.example")[0] == [
        ("The bridge opened in 1932.", "[1]", "https://a.example")
    ]


def test_raised_numbers_cite_and_units_stay():
    notes = "¹ https://a.example\n² https://b.example"
    citations, _ = found(f"The bridge opened.¹ It covers 5 km². It closed in 1999².\n\n{notes}")
    assert citations == [
        ("The bridge opened.", "¹", "https://a.example"),
        ("It closed in 1999.", "²", "https://b.example"),
    ]
    assert "5 km²" in citing_of(f"It covers 5 km².¹\n\n{notes}").article.text


BOOKS = """## References

Smith, J. (2001). Bridges. https://smith.example
Smith, J. & Vell, A. (1999a). Ferries of the
Aster. https://both.example

- World Bank. 2004. Tolls. https://bank.example
- Ana van der Hale, Corvane, 1999. An old book.
- Lee Smith and Ana Marsh. 2005. Floods. https://flood.example
- Kim Hale and Lee Smith. 2005. Droughts. https://drought.example
"""


@pytest.mark.parametrize(
    ("mark", "targets"),
    [
        ("The bridge opened (Smith, 2001).", ["https://smith.example"]),
        (
            "The bridge opened (see Smith 2001, p. 12; World Bank, 2004).",
            ["https://smith.example", "https://bank.example"],
        ),
        ("The bridge opened [Smith and Vell, 1999a].", ["https://both.example"]),
        ("The bridge opened (van der Hale, 1999).", ["Ana van der Hale, Corvane, 1999. An old book."]),
        ("In Corvane Smith (2001) found a ferry.", ["https://smith.example"]),
        ("The bridge opened (Smith & Marsh, 2005; Smith et al., 2005).", ["https://flood.example"]),
        ("The bridge opened (Smith et al., 1999).", []),
        ("The bridge opened (Smith, 1984).", []),
        ("The bridge opened (May 2001).", []),
    ],
)
def test_authors_and_years_lead_to_their_references(mark, targets):
    citations, unresolved = found(f"{mark}\n\n{BOOKS}")
    assert [target for _, _, target in citations] == targets
    assert all("(" not in claim and "[" not in claim for claim, _, _ in citations)
    assert bool(unresolved) == (not targets and "May" not in mark)


def test_a_label_comes_before_the_place_in_another_list():
    lists = "## References\n\n- Smith, J. 2001. Bridges.\n\n## Notes\n\n1. A book."
    citations, _ = found(f"It opened (Smith, 2001) and closed [1].\n\n{lists}")
    assert [target for _, _, target in citations] == ["Smith, J. 2001. Bridges.", "A book."]


def test_two_works_of_one_author_and_year_decide_nothing():
    text = "The bridge opened (Smith, 2001).\n\n## References\n\n- Smith, J. (2001). A.\n- Smith, K. (2001). B."
    assert found(text) == ([], ("(Smith, 2001)",))


@pytest.mark.parametrize(
    "sources",
    [
        "Sources:\n\n- https://a.example\n- https://b.example",
        "【1†source】 https://a.example\n【2†source】 https://b.example",
        "## References\n\n1. [A](https://a.example)\n2. [B](https://b.example)",
    ],
)
def test_marks_of_assistants_lead_to_a_list_of_sources(sources):
    citations, unresolved = found(f"The bridge opened【2†source】【1†L3-L9】.\n\n{sources}")
    assert [target for _, _, target in citations] == ["https://b.example", "https://a.example"] and not unresolved
    assert citations[0][0] == "The bridge opened."


def test_a_mark_of_an_assistant_may_name_a_file():
    citations, _ = found("The bridge opened in 1932【4:0†minutes of May.pdf】. It is old【4:1†source】.")
    assert [(mark, target) for _, mark, target in citations] == [("【4:0†minutes of May.pdf】", "minutes of May.pdf")]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("The bridge opened in 1932【1†source】.", ("【1†source】",)),
        ("The bridge opened in 1932 [7].", ("[7]",)),
        (
            "The bridge opened (Vell & Hale, 1999).\n\n## References\n\nVell, A. (1999). Bridges.",
            ("(Vell & Hale, 1999)",),
        ),
        ("The bridge opened (Corvane, 1999).", ()),
    ],
)
def test_marks_that_lead_nowhere_are_told(text, marks, tmp_path):
    assert found(text) == ([], marks)
    (tmp_path / "a.md").write_text(text)
    with pytest.raises(DocumentsError, match="1 mark without a reference" if marks else "got none"):
        read_citing(tmp_path / "a.md")
