"""Texts as sentences: every place is verbatim, what claims nothing is left alone, and each claim stands alone."""

import os
import time

import pytest

from knowledge_store.pages.documents import DocumentsError
from system.article.reading import article_of, read_article
from system.article.records import Kind

TEXT = """Crossing the Aster

The  Aster bridge opened
in 1932. Is it not old? Dr. Hale built it.

In my opinion it is ugly. Share this with your friends!
Photo: the bridge."""


def test_sentences_are_verbatim_and_only_space_lies_between() -> None:
    article = article_of(TEXT)
    assert all(TEXT[one.start : one.end] == one.text for one in article.sentences)
    ends = [0, *(one.end for one in article.sentences)]
    starts = [*(one.start for one in article.sentences), len(TEXT)]
    assert not "".join(TEXT[end:start] for end, start in zip(ends, starts, strict=True)).strip()


def test_says_what_each_sentence_is() -> None:
    kinds = [(one.kind, " ".join(one.text.split())) for one in article_of(TEXT).sentences]
    assert kinds == [
        (Kind.HEADING, "Crossing the Aster"),
        (Kind.CLAIM, "The Aster bridge opened in 1932."),
        (Kind.QUESTION, "Is it not old?"),
        (Kind.CLAIM, "Dr. Hale built it."),
        (Kind.OPINION, "In my opinion it is ugly."),
        (Kind.CALL, "Share this with your friends!"),
        (Kind.FRAGMENT, "Photo: the bridge."),
    ]


def test_a_sentence_longer_than_any_statement_is_left_alone() -> None:
    long = f"The bridge has {', '.join(map(str, range(300)))} lanes."
    assert [one.kind for one in article_of(f"The bridge is long. {long}").sentences] == [Kind.CLAIM, Kind.TOO_LONG]


@pytest.mark.parametrize("mark", ["`", "“", "“ "])
def test_marks_without_end_are_cut_in_linear_time(mark: str) -> None:
    started = time.process_time()
    article_of(mark * 300_000)
    assert time.process_time() - started < 8  # the work takes two; it took twenty


def statements(text: str) -> list[str]:
    return [one.claim for one in article_of(text).claims]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The Aster bridge opened in 1932. It carries two lanes.", "The Aster bridge carries two lanes."),
        ("The Aster bridge opened in 1932. Its toll was high.", "The Aster bridge’s toll was high."),
        ("The Aster bridge opened in 1932. The bridge is closed.", "The Aster bridge is closed."),
        ("The bridge opened in 1932. That year, tolls rose.", "In 1932, tolls rose."),
        ("The bridge opened in 1932. Tolls ended a year later.", "Tolls ended in 1933."),
        ("The Aster bridge opened in 1932. That year it was closed.", "In 1932 the Aster bridge was closed."),
        (  # the README's
            "The Aster bridge opened in 1931. That year it was the longest bridge of Corvane.",
            "In 1931 the Aster bridge was the longest bridge of Corvane.",
        ),
        ("Mara Quill led the town. She opened the bridge.", "Mara Quill opened the bridge."),
        ("Mara Quill led the town. Quill opened the bridge.", "Mara Quill opened the bridge."),
        ("The minister Jon Hale came. He said that it rained.", "Jon Hale said that it rained."),
        ("Halvers Dairy grew. The company employs 200 people.", "Halvers Dairy employs 200 people."),
        ("The Flood Bill was passed. Mara Quill voted against it.", "Mara Quill voted against the Flood Bill."),
        ("The fishermen lost 12 boats. They were not insured.", "The fishermen were not insured."),
        ("Storm Idris flooded Ardenmouth. The storm killed three people.", "Storm Idris killed three people."),
    ],
)
def test_a_reference_gives_way_to_what_it_means(text: str, claims: str) -> None:
    assert statements(text)[1] == claims


@pytest.mark.parametrize(
    "text",
    [
        "The Aster bridge opened in 1932. It is true that tolls rose.",
        "The Aster bridge opened in 1932. It was the mayor who paid.",
        "The Aster bridge opened in 1932. It was the end of a hard winter.",
        "The Aster bridge opened in 1932. He was late to work.",
        "The Aster bridge and the Orra bridge opened. The bridge is closed.",
        "The Aster bridge opened. Mara Quill said that she paid.",
        "Mara Quill led the town. Jon Quill built it. Quill sold the bridge.",
        "The bridge is old. The mayor of Corvane and his wife crossed the river.",
        "Die Brücke wurde 1932 eröffnet, und viele Leute kamen aus der ganzen Stadt zu dem großen Fest am Fluss, das "
        "drei Tage dauerte und an das sich die alten Leute noch heute erinnern. Sie hat zwei Spuren.",
    ],
)
def test_what_is_not_sure_stays_as_it_is(text: str) -> None:
    last = article_of(text).claims[-1]
    assert last.claim == last.text and not last.resolved


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("O Brasil tem 26 estados. A ponte abriu em 1932.", 2),
        ("Le pont a ouvert en 1932.", 1),
        ("पुल 1932 में खुला।", 1),
        ("افتتح الجسر عام 1932.", 1),
        ("阿斯特大桥于1932年通车。费用为400万欧元。", 2),
        ("The Aster bridge, 1932. Photo: the bridge.", 0),
    ],
)
def test_short_claims_of_other_languages_are_checked(text, claims) -> None:
    article = article_of(text)
    assert len(article.claims) == claims and (article.language == "en") == (claims == 0)


@pytest.mark.parametrize(
    "sentence",
    [
        "Der Bau begann im 19. Jahrhundert.",
        "Der 1. FC Aster gewann das Spiel.",
        "Er besucht heute die 5. Klasse.",
        "It is approx. 5 km long.",
        "The fort of Ft. Aster was built in 1932.",
        "La Dra. Vell nació en EE. UU. y murió en 1950.",
        "Il dott. Rossi ha aperto il ponte.",
        "Il sig. Bianchi ha aperto il ponte.",
        "J.-C. Martin est né à Paris en 1950.",
        "Le pont coûte env. 4 millions d'euros.",
        "La construction a été dirigée par M. Dupont.",
    ],
)
def test_an_abbreviation_or_ordinal_cuts_no_sentence(sentence) -> None:
    assert [one.text for one in article_of(f"{sentence} The mayor came.").sentences] == [sentence, "The mayor came."]


@pytest.mark.parametrize(
    "text", ["Is it old? No. It opened in 1932.", "I am 30. Ana Vell is 40.", "Plan B. It failed."]
)
def test_what_only_looks_like_an_abbreviation_ends(text) -> None:
    assert len(article_of(text).sentences) == text.count(". ") + text.count("? ") + 1


def test_soft_hyphens_of_pasted_text_vanish() -> None:
    assert statements("The Aster brid\u00adge ope\u00adned in 1932.") == ["The Aster bridge opened in 1932."]


def test_a_folder_is_said_to_be_one(tmp_path) -> None:
    with pytest.raises(DocumentsError, match="is a folder"):
        read_article(tmp_path)


def test_a_file_of_any_format_is_read(tmp_path) -> None:
    path = tmp_path / "aster.html"
    path.write_text("<html><body><h1>Aster</h1><p>The bridge opened in 1932.</p></body></html>")
    assert [one.text for one in read_article(path).claims] == ["The bridge opened in 1932."]


def test_a_name_that_is_not_utf8_can_be_written(tmp_path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.txt")
    path.write_text("The bridge opened in 1932.")
    assert read_article(path).name == f"{tmp_path}/caf\\xe9.txt"


@pytest.mark.parametrize(("name", "content", "message"), [("no.txt", None, "no such file"), ("a.txt", " ", "got none")])
def test_a_text_that_is_none_is_one_clear_error(tmp_path, name, content, message) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(DocumentsError, match=message):
        read_article(tmp_path / name)
