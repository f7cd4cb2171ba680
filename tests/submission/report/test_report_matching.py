"""The rule by which a passage is gold evidence: the same page, or much the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.report.matching import content_words, page_key, says_the_same

PAGE = "https://www.example.org/news/aster"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/news/aster/",
        "HTTPS://Example.org:443/news/aster#top",
        "https://web.archive.org/web/20201129141238/https://example.org/news/aster",
        "https://web.archive.org/web/20201129141238id_/http://www.example.org:80/news/aster/",
        "example.org/news/aster",
    ],
)
def test_addresses_of_one_page_have_one_key(url):
    assert page_key(url) == page_key(PAGE)


@pytest.mark.parametrize("url", ["https://example.org/news", f"{PAGE}?id=2", "https://other.org/news/aster", ""])
def test_other_pages_have_other_keys(url):
    assert page_key(url) != page_key(PAGE)


@given(st.text())
def test_any_text_has_a_key(url):
    assert page_key(page_key(url)) is not None


def test_a_key_survives_brackets_that_enclose_nothing():
    assert page_key("http://[broken") == "http://[broken"


GOLD = content_words("The ferry carried 1,043,612 foot passengers between January and December")


def test_much_the_same_words_say_the_same():
    assert says_the_same(GOLD, content_words("Foot passengers carried by ferry, January to December: 1,043,612"))


def test_fewer_words_do_not():
    assert not says_the_same(GOLD, content_words("The ferry carried many passengers"))


def test_an_answer_of_few_words_is_matched_by_its_page_alone():
    yes = content_words("Yes, in 1932")
    assert not says_the_same(yes, yes)
