"""Filters of pages: each refuses what it names and nothing else, counts it, and is off by default."""

from datetime import date

import pytest

from knowledge_store.pages.filters import dates_in, is_fact_check
from knowledge_store.pages.page import Flaw, Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings

CLAIM = "The ferry of Port Aster carried 1,000 passengers in its last year."
DAY = date(2020, 10, 31)
PAGES = [
    Page(0, "https://www.politifact.com/some-claim", ("We looked at what the minister said, and it is wrong.",)),
    Page(1, "https://news.example/2020/11/01/ferry", ("The ferry stopped.",)),
    Page(2, "https://blog.example/ferry", ("They say:", CLAIM.upper(), "Is that so?")),
    Page(3, "https://zeitung.example/faehre", ("Die Fähre von Port Aster wurde im vergangenen Jahr eingestellt.",)),
    Page(4, "https://news.example/2020/10/30/ferry", ("The ferry of Port Aster carried few passengers in 1930.",)),
]


def kept(claim=CLAIM, day=DAY, **changes):
    ranked = rank(PAGES, claim, RetrievalSettings.model_validate(changes), day)
    return sorted(passage.page for passage in ranked.passages), ranked.report.flaws


@pytest.mark.parametrize(
    ("changes", "numbers", "flaws"),
    [
        ({}, [0, 1, 2, 3, 4], {}),
        ({"fact_checks": False}, [1, 2, 3, 4], {Flaw.FACT_CHECK: 1}),
        ({"later_pages": False}, [0, 2, 3, 4], {Flaw.LATER_PAGE: 1}),
        ({"later_pages": False, "day": None}, [0, 1, 2, 3, 4], {}),
        ({"fact_checks": False, "later_pages": False}, [2, 3, 4], {Flaw.FACT_CHECK: 1, Flaw.LATER_PAGE: 1}),
    ],
)  # fmt: skip
def test_a_filter_refuses_what_it_names_and_counts_it(changes, numbers, flaws):
    assert kept(**changes) == (numbers, flaws)


FACT_CHECKS = """
https://factcheck.afp.com/http%253A%252F%252Fdoc https://www.newsmeter.in:80/a-claim https://PolitiFact.com
http://web.archive.org/web/20201130144023/https://checkyourfact.com/2020/11/03/a-claim/ https://ghana.dubawa.org/a-claim
https://www.reuters.com/article/uk-factcheck-bridge-idUSKBN1 https://www.indiatoday.in/fact-check/story/a-claim-1-2020
"""
OTHERS = """
https://notpolitifact.com/ https://politifact.com.example/ https://news.example/?ref=politifact.com
https://artifactchecker.example/ fish/prices.txt
"""


@pytest.mark.parametrize("url", [*FACT_CHECKS.split(), *OTHERS.split(), ""])
def test_fact_checks_are_known_by_site_or_section(url):
    assert is_fact_check(url) == (url in FACT_CHECKS.split())


LATER = "https://a.example/2020-11-01/slug https://a.example/2020/11/slug https://a.example/20201201"
EARLIER = """
https://a.example/2020_10_31/slug https://a.example/2020/10/slug https://a.example/2021-13-45/slug
https://a.example/id202012011 https://web.archive.org/web/20221130/https://a.example/2019/01/02/
"""


@pytest.mark.parametrize("url", [*LATER.split(), *EARLIER.split()])
def test_what_counts_as_a_date(url):
    assert any(found > DAY for found in dates_in(url)) == (url in LATER.split())
