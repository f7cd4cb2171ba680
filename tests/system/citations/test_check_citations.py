"""Each citing sentence is checked against its own source alone; a source that is not found is said to be so."""

import pytest

from factgraph import DocumentsError, FactChecker
from system.article.reading import article_of
from system.citations.marks import read_citing
from system.citations.records import CheckedCitations, Outcome
from system.report.citations import citations_page
from tests.helpers.bridge import settings_with
from tests.helpers.by_words import reading_engine

TEXT = """The Aster bridge [opened in 1931](https://history.example/aster-bridge). It carries two lanes.[^1]
The bridge [is closed to lorries](https://city.example/lanes.html). Its toll [ended](https://gone.example/x).
The bridge [is closed to lorries](tourism.md). The bridge [carries a toll station](lanes.html).
Ferries [cross the lake](lanes.html). The mill [burned](http://127.0.0.1:9/x).

[^1]: The city (1999): its page, lanes.html
"""


@pytest.fixture
def folder(tmp_path):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "aster-bridge.md").write_text("The Aster bridge opened in 1932 after four years of work.")
    (sources / "lanes.html").write_text("<p>The Aster bridge carries two lanes and a footpath.</p>")
    (tmp_path / "tourism.md").write_bytes(b"The Aster bridge is closed to lorries at the caf\xe9.")
    (tmp_path / "text.md").write_text(TEXT)
    return tmp_path


@pytest.fixture
def checker():
    with FactChecker(engine=reading_engine()) as checker:  # which source is read is what counts here
        yield checker


def test_says_of_each_citation_what_its_source_says(checker, folder):
    citing = read_citing(folder / "text.md")
    checked = CheckedCitations.of(citing.article, checker.check_citations(citing, folder / "sources", fetch=True))
    assert [(one.outcome, one.source) for one in checked.citations] == [
        (Outcome.CONTRADICTED, "aster-bridge.md"),
        (Outcome.SUPPORTED, "lanes.html"),
        (Outcome.ELSEWHERE, "lanes.html"),
        (Outcome.UNANSWERED, ""),
        (Outcome.SUPPORTED, "tourism.md"),
        (Outcome.UNDECIDED, "lanes.html"),
        (Outcome.ABSENT, "lanes.html"),
        (Outcome.UNANSWERED, ""),
    ]
    tree = checked.to_dict()
    assert tree["counts"]["supported"] == 2 and "read as cp1252" in tree["warnings"][1]
    assert tree["citations"][0]["correction"]["text"] == "The Aster bridge opened in 1932."
    assert "Another of your sources, tourism.md says so" in tree["citations"][2]["why"]
    assert tree["citations"][5]["why"].startswith("Could not decide; nearest is lanes.html: ")
    assert tree["citations"][6]["why"].startswith("Nothing was found on it; nearest is lanes.html: ")
    assert all(part in citations_page(checked) for part in ("address does not answer", *checked.warnings))


def test_what_is_no_text_is_refused(checker):
    for check in (checker.check_citations, checker.check_text, article_of):
        with pytest.raises(DocumentsError, match=r"text: expected a text, got 5 \(int\)"):
            list(check(5))


def test_a_name_that_two_sources_share_is_not_the_cited_one(checker):
    sources = {f"https://{site}.example/a/aster.html": "The Aster bridge opened in 1931." for site in ("x", "y")}
    (only,) = checker.check_citations("The Aster bridge opened in 1931 [a](https://z.example/aster.html).", sources)
    assert only.outcome is Outcome.ELSEWHERE and "In the one cited: no document has this address" in only.why


@pytest.mark.parametrize(
    ("reference", "names", "source"),
    [
        ("The Daily, aster2.txt", ["aster.txt"], "no document is named like 'The Daily, aster2.txt'"),
        ("a.txt; older figures in b.txt", ["b.txt", "a.txt"], "a.txt"),
        (
            "aster.txt",
            ["x/aster.txt", "y/aster.txt"],
            "2 documents are named like 'aster.txt': x/aster.txt, y/aster.txt",
        ),
        ("y/aster.txt", ["x/aster.txt", "y/aster.txt"], "y/aster.txt"),
    ],
)
def test_a_reference_leads_to_the_document_that_it_names_first(checker, reference, names, source):
    text = f"The Aster bridge opened in 1931 [1].\n\n## References\n\n[1] {reference}"
    (only,) = checker.check_citations(text, dict.fromkeys(names, "The Aster bridge opened in 1931."))
    assert (
        only.source or only.why.partition("In the one cited: ")[2].removesuffix("; add it to --documents")
    ) == source


@pytest.mark.parametrize(
    "opening",
    [
        '<head><link href="https://www.a.example/wiki/Aster_(bridge)" rel="canonical"></head>',
        "<LINK REL='nofollow Canonical' HREF='https://a.example/wiki/Aster_(bridge)'>",
        "<!-- saved from url=(0041)https://a.example/wiki/Aster_(bridge) --><html>",
    ],
)
def test_a_saved_page_is_found_by_the_address_that_it_gives_itself(checker, tmp_path, opening):
    (tmp_path / "page1.html").write_text(f"{opening}<p>It opened in 1932.")
    text = "The bridge opened in 1932 (https://a.example/wiki/Aster_(bridge)). It is long (https://a.example/Aster)."
    found = [(one.citation.target, one.source) for one in checker.check_citations(text, tmp_path)]
    assert sorted(found) == [("https://a.example/Aster", ""), ("https://a.example/wiki/Aster_(bridge)", "page1.html")]


def test_sources_are_read_within_the_time_of_their_citations(folder):
    settings = settings_with(reading__document_strategy="entailment", run__budget=1e-9)
    with FactChecker(engine=reading_engine(settings)) as checker:
        found = list(checker.check_citations(read_citing(folder / "text.md")))
    beside = next(one for one in found if one.citation.target == "tourism.md")
    assert beside.why == "the time ran out before it was read"
