"""Searching through SearXNG: pages within limits, dated, kept, and never from inside the network."""

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest

from knowledge_store.pages.fetching import Fetcher
from knowledge_store.pages.page import FOUND, Flaw, Flaws
from knowledge_store.ranking import rank
from knowledge_store.searchers import SearchError, searxng
from knowledge_store.searchers.searched import open_searcher, searched
from knowledge_store.searchers.searxng import SearxNg
from knowledge_store.settings import RetrievalSettings
from tests.helpers.local_site import Answer, Site, page, redirect

DATED = (
    b'<html><head><meta property="article:published_time" content="2021-03-04T10:00:00Z"></head>'
    b"<body><article><p>Fish became cheaper in May, the bureau said.</p></article></body></html>"
)


def results(*found: dict[str, object]) -> Answer:
    return page(orjson.dumps({"query": "q", "results": found}), "application/json")


@pytest.fixture
def server(site: Site) -> Callable[..., SearxNg]:
    """A SearXNG whose results lie on the same machine, and a searcher that may go there."""

    def serve(*paths: str, **dates: str) -> SearxNg:
        found = [{"url": site.address + path, "publishedDate": dates.get(path[1:])} for path in paths]
        original = dict(site.answers)

        def answer(request: BaseHTTPRequestHandler) -> None:
            asked = parse_qs(urlsplit(request.path).query)
            assert asked["format"] == ["json"]
            results(*found)(request)

        class Answers(dict[str, Answer]):
            def get(self, path: str, default: Answer) -> Answer:  # type: ignore[override]
                return answer if path.startswith("/search?") else original.get(path, default)

        site.answers = Answers()
        return SearxNg(site.address, Fetcher(60.0, robots=True, admits=lambda _: True), 99.0)

    return serve


def test_pages_come_dated_and_with_their_hash(site: Site, server: Callable[..., SearxNg]) -> None:
    site.answers = {"/a": page(DATED), "/b": page(b"It rained.", "text/plain")}
    flaws = Flaws()
    first, second = server("/a", "/b", b="2020-01-02T00:00:00").search("fish?", None, 5, flaws)
    assert (first.number, first.url, first.published) == (0, f"{site.address}/a", date(2021, 3, 4))
    assert first.sentences == ("Fish became cheaper in May, the bureau said.",)
    assert first.sha256 == sha256(DATED).hexdigest()
    assert first.retrieved.endswith("+00:00")
    assert (second.number, second.published, second.sentences) == (1, date(2020, 1, 2), ("It rained.",))
    assert not flaws


def test_whoever_opens_a_searcher_starts_what_reads_its_pages() -> None:
    script = """if True:
        import time, psutil
        from knowledge_store.searchers.searched import open_searcher
        open_searcher("http://localhost:9")
        until = time.monotonic() + 120
        while len(psutil.Process().children()) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        print(len(psutil.Process().children()))
    """
    assert int(subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True).stdout) >= 2


def test_leaves_out_pages_published_after_the_claim(site: Site, server: Callable[..., SearxNg]) -> None:
    site.answers = {"/a": page(DATED), "/b": page(b"It rained.", "text/plain")}
    searcher = server("/a", "/b", b="2020-01-02")
    assert [found.url[-1] for found in searcher.search("q", date(2020, 6, 1), 5, Flaws())] == ["b"]
    assert [found.url[-1] for found in searcher.search("q", date(2019, 6, 1), 5, Flaws())] == []
    assert site.asked.count("/b") == 1, "a result that the server dates later is not even fetched"


def test_a_page_that_cannot_be_read_is_named_and_left_out(
    site: Site, server: Callable[..., SearxNg], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(request: BaseHTTPRequestHandler) -> None:
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


def test_results_inside_the_network_are_not_fetched(site: Site, server: Callable[..., SearxNg]) -> None:
    site.answers = {"/ok": page()}
    server("/ok")
    flaws = Flaws()
    assert list(SearxNg(site.address).search("q", None, 5, flaws)) == []
    assert flaws == {Flaw.NOT_FETCHED: 1}
    assert all(path.startswith("/search?") for path in site.asked)


@pytest.mark.parametrize("bad", [{"url": "http://["}, {"url": 7}, {}, [], None, {"url": "", "publishedDate": {}}])
def test_a_malformed_result_fails_alone(site: Site, bad: object) -> None:
    found = results(bad, {"url": f"{site.address}/a"}, {"url": f"{site.address}/moved"})  # type: ignore[arg-type]
    site.answers = {"/a": page(DATED), "/moved": redirect("http://["), "/search?q=q&format=json": found}
    flaws = Flaws()
    searcher = SearxNg(site.address, Fetcher(60.0, robots=True, admits=lambda _: True), 99.0)
    assert [page.url for page in searcher.search("q", None, 5, flaws)] == [f"{site.address}/a"]
    assert flaws[Flaw.NOT_FETCHED] >= 1


@pytest.mark.parametrize(
    "field", [rb'"\ud83d"', b"NaN", b"1e999", b"9" * 10_000, b'"\xe9"'], ids=["half", "NaN", "large", "long", "Latin-1"]
)
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
def test_an_odd_field_of_a_result_costs_no_search(site: Site, field: bytes, before: bytes) -> None:
    body = b'%s{"results": [{"url": "%s/a", "title": %s}]}' % (before, site.address.encode(), field)
    site.answers = {"/search?q=fish+%3F&format=json": page(body, "application/json")}
    assert [url for url, _ in SearxNg(site.address)._results("fish \ud83d")] == [f"{site.address}/a"]


def test_pages_that_take_too_long_are_left_out(
    site: Site, server: Callable[..., SearxNg], caplog: pytest.LogCaptureFixture
) -> None:
    done = Event()
    site.answers = {"/a": page(DATED), "/slow": lambda _: done.wait(60)}
    searcher = SearxNg(server("/slow", "/a")._address, Fetcher(60.0, admits=lambda _: True), seconds=5.0)
    assert [page.url[-2:] for page in searcher.search("q", None, 5, Flaws())] == ["/a"]
    done.set()
    assert f"{site.address}/slow: skipped, not read within 5 s" in caplog.messages


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
def test_a_search_that_fails_says_why_and_is_not_kept(
    site: Site, settings: RetrievalSettings, answer: Answer, message: str
) -> None:
    class Answers(dict[str, Answer]):
        def get(self, path: str, default: Answer) -> Answer:  # type: ignore[override]
            return answer

    site.answers = Answers()
    with pytest.raises(SearchError, match=f"SearXNG at {site.address}: .*{message}"):
        list(searched("q", None, settings, Flaws()))
    assert not Path(settings.search_folder).exists()


def test_engines_that_do_not_answer_are_named(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    body = {"results": [{"url": f"{site.address}/a"}], "unresponsive_engines": BLOCKED}
    site.answers = {"/search?q=q&format=json": page(orjson.dumps(body), "application/json")}
    assert len(SearxNg(site.address)._results("q")) == 1
    named = "google: Suspended: CAPTCHA; brave: too many requests"
    assert caplog.messages == [f"SearXNG at {site.address}: searched without these engines: {named}"]


def test_no_server_at_all_is_an_error() -> None:
    with pytest.raises(SearchError, match="expected a running server"):
        list(SearxNg("http://127.0.0.1:9").search("q", None, 5, Flaws()))


@pytest.fixture
def settings(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> RetrievalSettings:
    original = SearxNg.__init__

    def anywhere(self: SearxNg, address: str, *_: Fetcher, seconds: float = searxng.IN_ALL) -> None:
        patient = 99.0 if seconds == searxng.IN_ALL else seconds
        original(self, address, Fetcher(60.0, admits=lambda _: True), patient)

    monkeypatch.setattr(searxng.SearxNg, "__init__", anywhere)
    return RetrievalSettings(search=site.address, search_folder=str(tmp_path / "searched"), later_pages=False)


def test_repeating_a_search_needs_no_network(
    site: Site, server: Callable[..., SearxNg], settings: RetrievalSettings, tmp_path: Path
) -> None:
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


def test_empty_results_are_kept_too(site: Site, server: Callable[..., SearxNg], settings: RetrievalSettings) -> None:
    server()
    for _ in range(2):
        assert list(searched("fish?", None, settings, Flaws())) == []
    assert len(site.asked) == 1


def test_a_search_that_may_find_more_later_is_not_kept(
    site: Site, server: Callable[..., SearxNg], settings: RetrievalSettings, tmp_path: Path
) -> None:
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


def test_a_search_that_cannot_be_kept_is_used(
    site: Site, server: Callable[..., SearxNg], settings: RetrievalSettings, tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    (tmp_path / "file").touch()
    site.answers = {"/a": page(DATED)}
    server("/a", "/gone")
    nowhere = settings.model_copy(update={"search_folder": f"{tmp_path}/file"})
    assert len(list(searched("fish \ud83d", None, nowhere, Flaws()))) == 1
    assert "what the search found is not kept (" in caplog.text
    assert list(searched("fish", None, settings, Flaws())) and [*Path(settings.search_folder).iterdir()]


def test_found_pages_join_the_store(
    site: Site, server: Callable[..., SearxNg], settings: RetrievalSettings, write_store: Callable[..., Path]
) -> None:
    site.answers = {"/a": page(DATED)}
    server("/a")
    ranked = rank(write_store(["A bridge."], [], ["Oslo."]), "fish", settings, date(2022, 1, 1))
    found = [(passage.page, passage.text[:4], passage.found) for passage in ranked.passages]
    assert found == [(FOUND, "Fish", True), (0, "A br", False), (2, "Oslo", False)]
    assert rank(write_store(["A bridge."]), "fish!", settings, date(2020, 1, 1)).report.passages == 1


def test_a_search_ends_in_the_time_of_its_claim(
    site: Site, server: Callable[..., SearxNg], settings: RetrievalSettings, caplog: pytest.LogCaptureFixture
) -> None:
    done = Event()
    site.answers = {"/a": page(DATED), "/slow": lambda _: done.wait(60)}
    server("/slow", "/a")
    ranked = rank((), "fish", settings, date(2022, 1, 1), seconds=8.0)
    done.set()
    assert [passage.url[-2:] for passage in ranked.passages] == ["/a"]
    assert re.search(r"/slow: skipped, not read within [5-8]", caplog.text)


def test_a_failed_search_is_an_error_only_without_a_store(
    settings: RetrievalSettings, write_store: Callable[..., Path], tmp_path: Path
) -> None:
    nowhere = settings.model_copy(update={"search": "http://127.0.0.1:9"})
    ranked = rank(write_store(["A bridge."]), "fish", nowhere)
    assert ranked.report.flaws == {Flaw.SEARCH_FAILED: 1}
    with pytest.raises(SearchError):
        rank(tmp_path / "absent.json", "fish", nowhere)


def test_a_setting_names_a_server_or_an_archive(tmp_path: Path) -> None:
    assert isinstance(open_searcher("https://search.example"), SearxNg)
    with pytest.raises(SearchError, match=r"archive .* not found"):
        open_searcher(str(tmp_path / "a.sqlite"))
