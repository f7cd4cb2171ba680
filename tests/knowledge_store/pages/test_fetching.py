"""Fetching: pages of the open Internet within limits, and nothing else."""

import socket
from contextlib import nullcontext
from ipaddress import ip_address
from threading import Event

import pytest

from knowledge_store.pages import fetching
from knowledge_store.pages.fetching import Fetcher, FetchError, is_public
from tests.helpers.local_site import page, redirect

PUBLIC = ("93.184.215.14", "2606:4700::1111", "64:ff9b::5db8:d70e", "::ffff:1.1.1.1")


def anywhere(**others):
    return Fetcher(admits=lambda _: True, **others)


def test_a_page_is_fetched_through_its_redirects(site):
    site.answers = {"/old": redirect("/new?q=ü b"), "/new?q=%C3%BC%20b": page()}
    response = anywhere().fetch(f"{site.address}/old")
    assert (response.suffix, response.body) == (".html", b"<p>It rained.</p>")
    assert response.url.endswith("/new?q=%C3%BC%20b")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
     "2002:7f00:1::", "2001:db8::1", "64:ff9b:1::7f00:1", "::127.0.0.1", "::ffff:0:127.0.0.1", "fec0::1", "192.0.0.8",
     "5f00::1", "3fff::1", "192.88.99.1", "198.18.0.1", "203.0.113.1", "240.0.0.1", "2001::1", "2001:2::1", "100::1",
     "2001:20::1", "4000::1", "fe80::1%eth0", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110"],
)  # fmt: skip
def test_private_addresses_are_not_public(address):
    assert not is_public(ip_address(address))
    assert all(map(is_public, map(ip_address, PUBLIC)))


def test_rejects_a_name_with_a_private_address(site, monkeypatch):
    def resolve(host, port, **_):
        return [(None, None, None, "", (address, port)) for address in ("93.184.215.14", "127.0.0.1")]

    monkeypatch.setattr(fetching.socket, "getaddrinfo", resolve)
    with pytest.raises(FetchError, match=r"rebound.example is not on the open Internet \(127.0.0.1\)"):
        Fetcher().fetch("http://rebound.example/")


def test_gives_up_a_resolver_that_does_not_answer(monkeypatch):
    asked = Event()
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *_, **__: asked.wait(60) and [])
    with pytest.raises(FetchError, match=r"no answer within 0.2 s"):
        Fetcher(seconds=0.2).fetch("http://slow.example/")
    asked.set()


def test_the_connection_goes_to_the_address_that_was_checked(site, monkeypatch):
    resolved: list[str] = []
    original = socket.getaddrinfo

    def resolve(host, *others, **options):
        resolved.append(host)
        return original(host, *others, **options)

    monkeypatch.setattr(fetching.socket, "getaddrinfo", resolve)
    site.answers = {"/": page()}
    anywhere().fetch(site.address.replace("127.0.0.1", "localhost"))
    assert resolved.count("localhost") == 1


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://a.example/", "http://", "gopher://x", "http://[::1", "x", "http://[",
     "http://a.example:99999/", f"http://{'a' * 300}.example/", "http://\udc80/", "http://a\0b/",
     f"http://{'ü' * 10**6}/"],
)  # fmt: skip
def test_rejects_other_addresses(url):
    for robots in (False, True):
        with pytest.raises(FetchError):
            anywhere(robots=robots).fetch(url)


def raw(answer):
    """An answer of which each byte is given, headers included."""
    return lambda request: request.wfile.write(answer) and None


START = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = START + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (page(b"x" * 2000), "larger than"),
        (page(kind="image/png"), r"expected text/html or .* got image/png"),
        (page(status=500), "the server answers 500"),
        (redirect("/"), "more than 5 redirects"),
        (raw(START + b"Content-Encoding: gzip\r\n\r\nhi"), "a compressed response that was not asked for"),
        (raw(b"hello\n"), "^the server closed the connection$"),
        (raw(b"HTTP/1.1 -5 x\r\n\r\n"), "^the server's answer is no HTTP$"),
        (raw(CHUNKED + b"-5\r\nhi\r\n0\r\n\r\n"), "^the server's answer is no HTTP$"),
        (raw(CHUNKED + b"9\r\nhi"), "^the connection closed before the page was complete$"),
        (raw(START + b"Content-Length: 9\r\n\r\nhi"), "^the connection closed before the page was complete$"),
        (raw(CHUNKED + b"1\r\na\r\n" * 60 + b"0\r\n\r\n"), "the server's answer has over 50 chunks"),
        (raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 300 + START + b"\r\nhi"), "over 4 KiB of headers"),
        (raw(START + b"A: b\r\n" * 1000 + b"\r\nhi"), "over 4 KiB of headers"),
    ],
)
def test_an_answer_that_cannot_be_used_is_an_error_in_words(site, answer, message, monkeypatch):
    monkeypatch.setattr(fetching, "MAX_CHUNKS", 50)
    monkeypatch.setattr(fetching, "MAX_HEAD", 4096)
    site.answers = {"/": answer}
    with pytest.raises(FetchError, match=message):
        anywhere(size=1000).fetch(f"{site.address}/")


def test_without_a_valid_content_type_the_page_tells_it(site):
    for kind in (None, "garbage", "text/html, application/pdf", "a/b/c"):
        header = b"" if kind is None else f"Content-Type: {kind}\r\n".encode()
        site.answers = {"/": raw(b"HTTP/1.1 200 OK\r\n" + header + b"\r\n<p>It rained.</p>")}
        assert anywhere().fetch(f"{site.address}/").suffix == ".html"
    with pytest.raises(FetchError, match=r"expected application/json, got \.html without a content type"):
        anywhere().fetch(f"{site.address}/", {"application/json": ".json"})


@pytest.mark.parametrize("in_headers", [True, False])
def test_gives_up_on_a_server_that_sends_too_slowly(site, in_headers):
    done = Event()

    def drip(request):
        request.wfile.write(b"HTTP/1.0 200 OK\r\n" + b"Content-Type: text/plain\r\n\r\n" * (not in_headers))
        while not done.wait(0.05):
            try:
                request.wfile.write(b"X-Header: x\r\n" if in_headers else b"x")
            except OSError:
                return

    site.answers = {"/": drip}
    with pytest.raises(FetchError, match=r"no answer within 0.5 s"):
        anywhere(seconds=0.5).fetch(f"{site.address}/")
    done.set()


RULES = b"User-agent: *\nDisallow: /private"


@pytest.mark.parametrize(
    "rules",
    [RULES, b"User-agent: *\nCrawl-delay: \xc2\xb2\nDisallow: http://[\nDisallow: /private", b"\xef\xbb\xbf" + RULES,
     b"User-agent: *\nDisallow: /*vate$", RULES + b"\n# and so on" * 60_000],
    ids=["plain", "odd values", "byte order mark", "wildcard", "too large"],
)  # fmt: skip
def test_robots_txt_is_obeyed_if_asked(site, rules):
    site.answers = {"/robots.txt": redirect("/moved"), "/moved": page(rules, "text/plain")}
    site.answers |= {"/private": page(), "/open": page()}
    polite = anywhere(robots=True)
    assert polite.fetch(f"{site.address}/open").body
    with pytest.raises(FetchError, match=r"robots.txt forbids it"):
        polite.fetch(f"{site.address}/private")
    assert site.asked.count("/robots.txt") == 1 and "/private" not in site.asked
    assert anywhere().fetch(f"{site.address}/private").body


@pytest.mark.parametrize(("status", "fetched"), [(404, True), (503, False)])
def test_a_missing_robots_txt_allows_all_a_failing_one_none(site, status, fetched):
    site.answers = {"/robots.txt": page(status=status), "/": page()}
    with nullcontext() if fetched else pytest.raises(FetchError, match="robots"):
        anywhere(robots=True).fetch(f"{site.address}/")


def test_gives_up_on_a_handshake_that_does_not_end():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"https://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(FetchError, match=r"no answer within 0.3 s"):
            anywhere(seconds=0.3).fetch(url)
