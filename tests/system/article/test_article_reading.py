"""Texts as sentences: every place is verbatim, what claims nothing is left alone, and claims have their context."""

import os
import time

import pytest

from system.article.reading import article_of, read_article
from system.article.records import Kind

TEXT = """Crossing the Aster

The  Aster bridge opened
in 1932. Is it not old? Dr. Hale built it.

In my opinion it is ugly.
Photo: bridge."""


def test_sentences_are_verbatim_and_of_a_kind() -> None:
    article = article_of(TEXT)
    assert all(TEXT[one.start : one.end] == one.text for one in article.sentences)
    ends = [0, *(one.end for one in article.sentences)]
    starts = [*(one.start for one in article.sentences), len(TEXT)]
    assert not "".join(TEXT[end:start] for end, start in zip(ends, starts, strict=True)).strip()
    assert [(one.kind, " ".join(one.text.split())) for one in article.sentences] == [
        (Kind.HEADING, "Crossing the Aster"),
        (Kind.CLAIM, "The Aster bridge opened in 1932."),
        (Kind.QUESTION, "Is it not old?"),
        (Kind.CLAIM, "Dr. Hale built it."),
        (Kind.OPINION, "In my opinion it is ugly."),
        (Kind.FRAGMENT, "Photo: bridge."),
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        *((line, Kind.CLAIM) for line in ("The bridge opened in 1932", "Lanes are free of charge", "It cost\n9 euros")),
        *((line, Kind.CLAIM) for line in ("Loans rose to 59,300 in 2024", "Mills struck 41 million coins")),
        *((line, Kind.HEADING) for line in ("The bridge and its toll", "What was built", "It closed", "Mills made:")),
        *((line, Kind.HEADING) for line in ("Ways to reach the bridge", "Coins struck in 2021", "Apologies: A. Hart")),
    ],
)
def test_a_line_without_a_full_stop_is_a_claim_if_it_states_something(line: str, kind: Kind) -> None:
    assert [one.kind for one in article_of(f"It is old.\n\n{line}").sentences] == [Kind.CLAIM, kind]
    assert article_of(f"{line}\n\nIt is old.").sentences[0].kind is Kind.HEADING


def test_a_sentence_longer_than_any_statement_is_left_alone() -> None:
    long = f"The bridge has {', '.join(map(str, range(300)))} lanes."
    assert [one.kind for one in article_of(f"The bridge is long. {long}").sentences] == [Kind.CLAIM, Kind.TOO_LONG]


@pytest.mark.parametrize("mark", ["`", "“", "“ "])
def test_marks_without_end_are_cut_in_linear_time(mark: str) -> None:
    started = time.process_time()
    article_of(mark * 300_000)
    assert time.process_time() - started < 8  # the work takes two; it took twenty


OPENED = "The Aster bridge opened in 1932."
LED = "Mara Quill led the town."


@pytest.mark.parametrize(
    ("text", "context"),
    [
        (f"{OPENED} It carries two lanes.", OPENED),
        (f"{OPENED} The bridge is closed.", OPENED),
        (f"{OPENED} That year, tolls rose in Corvane.", OPENED),
        (f"{OPENED} In May 1940, the bridge was closed.", OPENED),
        (f"{LED} In May she resigned.", LED),
        (f"{OPENED} It carries two lanes. Its toll was high. Both are closed.", f"{OPENED} Its toll was high."),
        ("Crossing the Aster\n\nIt opened in 1932.", "Crossing the Aster."),
        (f"{OPENED}\n\nThese lanes are closed.", OPENED),
        (f"Is Corvane old? {'No, not at all, ' * 30}no. It is new.", "No, not at all, " * 18 + "No, not at …"),
        (f"{OPENED} The Orra bridge carries two lanes.", ""),  # what stands alone
        (f"{OPENED} The population of Corvane rose.", ""),
        (f"{OPENED} Yesterday Mara Quill said that she paid.", ""),
        (f"{OPENED} There are two lanes on Orra bridge.", ""),
        ("It carries two lanes.", ""),
        ("Die Brücke wurde 1932 eröffnet. Sie hat zwei Spuren.", ""),
    ],
)
def test_a_claim_that_refers_to_something_has_its_context(text: str, context: str) -> None:
    last = article_of(text).claims[-1]
    assert last.claim == last.text
    assert last.context.lower()[:200] == context.lower()[:200] and len(last.context) <= 300


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("O Brasil tem 26 estados. A ponte abriu em 1932.", 2),
        ("Le pont a ouvert en 1932.", 1),
        ("افتتح الجسر عام 1932.", 1),
        ("阿斯特大桥于1932年通车。费用为400万欧元。", 2),
        ("Tea costs more. Prices fell again. Photo: Berg.", 2),
    ],
)
def test_short_sentences_are_claims_in_any_language(text: str, claims: int) -> None:
    assert len(article_of(text).claims) == claims


def test_a_file_of_any_format_and_name_is_read(tmp_path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.html")
    path.write_text("<html><body><h1>Aster</h1><p>The brid\u00adge opened in 1932.</p></body></html>")
    article = read_article(path)
    assert [one.claim for one in article.claims] == ["The bridge opened in 1932."]
    assert article.name == f"{tmp_path}/caf\\xe9.html"
