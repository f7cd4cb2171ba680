"""Searching through SearXNG: pages within limits, dated, kept, and never from inside the network."""

import re
from datetime import date
from hashlib import sha256
from pathlib import Path
from threading import Event
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest

from knowledge_store.pages.fetching import Fetcher
from knowledge_store.pages.page import FOUND, Flaw, Flaws
from knowledge_store.ranking import rank
from knowledge_store.searchers import SearchError, searxng
from knowledge_store.searchers.searched import searched
from knowledge_store.searchers.searxng import SearxNg
from knowledge_store.settings import RetrievalSettings
from tests.helpers.local_site import page, redirect

DATED = (
    b'<html><head><meta property="article:published_time" content="2021-03-04T10:00:00Z"></head>'
    b"<body><article><p>Fish became cheaper in May, the bureau said.</p></article></body></html>"
)


def results(*found):
    return page(orjson.dumps({"query": "q", "results": found}), "application/json")


@pytest.fixture
def server(site):
    """A SearXNG whose results lie on the same machine, and a searcher that may go there."""

    def serve(*paths, **dates):
        found = [{"url": site.address + path, "publishedDate": dates.get(path[1:])} for path in paths]

        def answer(request):
            asked = parse_qs(urlsplit(request.path).query)
            assert asked["format"] == ["json"]
            results(*found)(request)

        site.answers["/search"] = answer
        return SearxNg(site.address, Fetcher(60.0, robots=True, admits=lambda _: True), 99.0)

    return serve


def test_pages_come_dated_and_with_their_hash(site, server):
    site.answers = {"/a": page(DATED), "/b": page(b"It rained.", "text/plain")}
    flaws = Flaws()
    first, second = server("/a", "/b", b="2020-01-02T00:00:00").search("fish?", None, 5, flaws)
    assert (first.number, first.url, first.published) == (0, f"{site.address}/a", date(2021, 3, 4))
    assert first.sentences == ("Fish became cheaper in May, the bureau said.",)
    assert first.sha256 == sha256(DATED).hexdigest()
    assert first.retrieved.endswith("+00:00")
    assert (second.number, second.published, second.sentences) == (1, date(2020, 1, 2), ("It rained.",))
    assert not flaws


def test_leaves_out_pages_published_after_the_claim(site, server):
    site.answers = {"/a": page(DATED), "/b": page(b"It rained.", "text/plain")}
    searcher = server("/a", "/b", b="2020-01-02")
    assert [found.url[-1] for found in searcher.search("q", date(2020, 6, 1), 5, Flaws())] == ["b"]
    assert [found.url[-1] for found in searcher.search("q", date(2019, 6, 1), 5, Flaws())] == []
    assert site.asked.count("/b") == 1, "a result that the server dates later is not even fetched"


def test_a_page_that_cannot_be_read_is_named_and_left_out(site, server, caplog):
    def fail(request):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
        request.wfile.write(head + b"no size\r\n")

    site.answers = {
        "/robots.txt": page(b"User-agent: *\nDisallow: /private", "text/plain"), "/private": page(), "/b": fail,
        "/c": page(b"%PDF-1.4 torn", "application/pdf"), "/ok": page(), "/more": page(),
    }  # fmt: skip
    flaws, bad = Flaws(), ("/gone", "/private", "/b", "/c")
    found = list(server(*bad, "/ok", "/more").search("q", None, 5, flaws))
    assert [each.url[-3:] for each in found] == ["/ok"] and flaws == {Flaw.NOT_FETCHED: 4}
    assert all(f"{site.address}{path}: skipped, " in caplog.text for path in bad)
    assert "/private" not in site.asked and "/more" not in site.asked, "no more pages than asked for"


def test_results_inside_the_network_are_not_fetched(site, server):
    site.answers = {"/ok": page()}
    server("/ok")
    flaws = Flaws()
    assert list(SearxNg(site.address).search("q", None, 5, flaws)) == []
    assert flaws == {Flaw.NOT_FETCHED: 1}
    assert all(path.startswith("/search?") for path in site.asked)


@pytest.mark.parametrize("bad", [{"url": "http://["}, {"url": 7}, {}, [], None, {"url": "", "publishedDate": {}}])
def test_a_malformed_result_fails_alone(site, bad):
    found = results(bad, {"url": f"{site.address}/a"}, {"url": f"{site.address}/moved"})
    site.answers = {"/a": page(DATED), "/moved": redirect("http://["), "/search?q=q&format=json": found}
    flaws = Flaws()
    searcher = SearxNg(site.address, Fetcher(60.0, robots=True, admits=lambda _: True), 99.0)
    assert [page.url for page in searcher.search("q", None, 5, flaws)] == [f"{site.address}/a"]
    assert flaws[Flaw.NOT_FETCHED] >= 1


BLOCKED = [["google", "Suspended: CAPTCHA"], ["brave", "too many requests"], "odd", []]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (page(status=403), r"answers 403; allow JSON in .* formats: \[html, json\]"),
        (page(status=429), "answers 429; it gets too many requests"),
        (page(status=500), "answers 500; expected a running server"),
        (page(b"<p>Results</p>"), r"got text/html; allow JSON in .* formats: \[html, json\]"),
        (page(b"{}", "application/json"), "expected results as JSON"),
        (page(b"[", "application/json"), "expected results as JSON"),
        (page(orjson.dumps({"results": [], "unresponsive_engines": BLOCKED}), "application/json"),
         r"nothing was searched, .* blocked \(google: Suspended: CAPTCHA; brave: too many requests\)"),
    ],
    ids=["forbidden", "limited", "failing", "html", "no results", "torn", "blocked"],
)  # fmt: skip
def test_a_search_that_fails_says_why_and_is_not_kept(site, settings, answer, message):
    site.answers["/search"] = answer
    with pytest.raises(SearchError, match=f"SearXNG at {site.address}: .*{message}"):
        list(searched("q", None, settings, Flaws()))
    assert not Path(settings.search_folder).exists()


def test_engines_that_do_not_answer_are_named(site, caplog):
    body = {"results": [{"url": f"{site.address}/a"}], "unresponsive_engines": BLOCKED}
    site.answers = {"/search?q=q&format=json": page(orjson.dumps(body), "application/json")}
    assert len(SearxNg(site.address)._results("q")) == 1
    named = "google: Suspended: CAPTCHA; brave: too many requests"
    assert caplog.messages == [f"SearXNG at {site.address}: searched without these engines: {named}"]


@pytest.fixture
def settings(tmp_path, site, monkeypatch):
    original = SearxNg.__init__

    def anywhere(self, address, *_, seconds=searxng.IN_ALL):
        patient = 99.0 if seconds == searxng.IN_ALL else seconds
        original(self, address, Fetcher(60.0, admits=lambda _: True), patient)

    monkeypatch.setattr(searxng.SearxNg, "__init__", anywhere)
    return RetrievalSettings(search=site.address, search_folder=str(tmp_path / "searched"), later_pages=False)


def test_repeating_a_search_needs_no_network(site, server, settings, tmp_path):
    site.answers = {"/a": page(DATED)}
    server("/a")
    first = list(searched("fish?", date(2022, 1, 1), settings, Flaws()))
    asked = len(site.asked)
    assert [(found.url, found.published) for found in first] == [(f"{site.address}/a", date(2021, 3, 4))]
    assert list(searched("fish?", date(2022, 1, 1), settings, Flaws())) == first
    assert len(site.asked) == asked
    (kept,) = (tmp_path / "searched").iterdir()
    record = orjson.loads(kept.read_bytes())
    assert record["published"] == "2021-03-04"
    assert record["sha256"] == sha256(DATED).hexdigest() and record["retrieved"]


def test_a_search_that_may_find_more_later_is_not_kept(site, server, settings, tmp_path):
    server("/gone")
    assert list(searched("fish?", None, settings, Flaws())) == []
    assert not (tmp_path / "searched").exists(), "no page could be fetched"
    done = Event()
    site.answers = {"/a": page(DATED), "/slow": lambda _: done.wait(60)}
    server("/a", "/slow")
    flaws = Flaws()
    list(searched("fish?", None, settings, flaws, 0.5))
    done.set()
    assert flaws[Flaw.NOT_IN_TIME]
    assert not (tmp_path / "searched").exists(), "not every page was read in time"


def test_a_search_that_cannot_be_kept_is_used(site, server, settings, tmp_path, caplog):
    (tmp_path / "file").touch()
    site.answers = {"/a": page(DATED)}
    server("/a", "/gone")
    nowhere = settings.model_copy(update={"search_folder": f"{tmp_path}/file"})
    assert len(list(searched("fish \ud83d", None, nowhere, Flaws()))) == 1
    assert "what the search found is not kept (" in caplog.text
    assert list(searched("fish", None, settings, Flaws())) and [*Path(settings.search_folder).iterdir()]


def test_found_pages_join_the_store(site, server, settings, write_store):
    site.answers = {"/a": page(DATED)}
    server("/a")
    ranked = rank(write_store(["A bridge."], [], ["Oslo."]), "fish", settings, date(2022, 1, 1))
    found = [(passage.page, passage.text[:4], passage.found) for passage in ranked.passages]
    assert found == [(FOUND, "Fish", True), (0, "A br", False), (2, "Oslo", False)]
    assert rank(write_store(["A bridge."]), "fish!", settings, date(2020, 1, 1)).report.passages == 1


def test_a_search_ends_in_the_time_of_its_claim(site, server, settings, caplog):
    done = Event()
    site.answers = {"/a": page(DATED), "/slow": lambda _: done.wait(60)}
    server("/slow", "/a")
    ranked = rank((), "fish", settings, date(2022, 1, 1), seconds=8.0)
    done.set()
    assert [passage.url[-2:] for passage in ranked.passages] == ["/a"]
    assert re.search(r"/slow: skipped, not read within [5-8]", caplog.text)


def test_a_failed_search_is_an_error_only_without_a_store(settings, write_store, tmp_path):
    nowhere = settings.model_copy(update={"search": "http://127.0.0.1:9"})
    ranked = rank(write_store(["A bridge."]), "fish", nowhere)
    assert ranked.report.flaws == {Flaw.SEARCH_FAILED: 1}
    with pytest.raises(SearchError):
        rank(tmp_path / "absent.json", "fish", nowhere)
