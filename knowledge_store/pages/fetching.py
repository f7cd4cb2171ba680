"""Fetching pages from the web, within limits, and never from inside this machine's own network.

A host is resolved once, all its addresses must be public, and the connection goes to one of them, so that a name cannot
point elsewhere a moment later. Each redirect is checked like the first address.
"""

import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Lock, Timer
from time import monotonic
from urllib.parse import quote, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

USER_AGENT = "got-factcheck"
MAX_REDIRECTS = 5
UNQUOTED = "/%:@!$&'()*+,;=~-._?"  # in a path or query; what a page quoted already stays so
SUFFIX_OF = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
}

Address = IPv4Address | IPv6Address


class FetchError(Exception):
    """A page is not fetched; the message says why."""


@dataclass(frozen=True)
class Response:
    """What an address answers.

    Attributes:
        url: of the page, after redirects.
        suffix: the ending of a file of its type.
    """

    url: str
    suffix: str
    body: bytes


def is_public(address: Address) -> bool:
    """Whether an address lies on the open Internet.

    >>> [is_public(ip_address(text)) for text in ("1.1.1.1", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address.packed[:12] == bytes.fromhex("0064ff9b" + "00" * 8):  # NAT64: IPv4 in the last four bytes
            inner = IPv4Address(address.packed[12:])
        if inner:
            return is_public(inner)
    return address.is_global and not address.is_multicast


class Fetcher:
    """Fetches pages over HTTP and HTTPS. Threads may share it.

    Args:
        seconds: that a page may take, redirects included.
        size: bytes of a page, at most.
        robots: whether a site's robots.txt is obeyed, as a program must that follows search results.
        admits: which addresses may be connected to.
    """

    def __init__(
        self,
        seconds: float = 15.0,
        size: int = 20 * 2**20,
        *,
        robots: bool = False,
        admits: Callable[[Address], bool] = is_public,
    ) -> None:
        self._seconds = seconds
        self._size = size
        self._robots = robots
        self._admits = admits
        self._rules: dict[str, RobotFileParser] = {}
        self._lock = Lock()

    def fetch(self, url: str, kinds: Mapping[str, str] = SUFFIX_OF) -> Response:
        """Fetch a page.

        Args:
            kinds: the content types that are admitted, with the suffix of each.

        Raises:
            FetchError: its address is no public HTTP address, robots.txt forbids it, it is too large or too slow, it is
                not of a type that can be read, or there is none.
        """
        end = monotonic() + self._seconds
        for _ in range(MAX_REDIRECTS + 1):
            if self._robots and not self._may(url, end):
                raise FetchError("robots.txt forbids it")
            status, headers, body = self._get(url, end, self._size)
            if status in (301, 302, 303, 307, 308):
                url = urljoin(url, headers.get("location", ""))
            elif status == 200:
                kind = headers.get_content_type()
                if kind not in kinds:
                    raise FetchError(f"expected {' or '.join(kinds)}, got {kind}")
                return Response(url, kinds[kind], body)
            else:
                raise FetchError(f"the server answers {status}")
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    def _may(self, url: str, end: float) -> bool:
        """Whether robots.txt admits the page (RFC 9309): without one all is, and nothing while it cannot be read."""
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            rules = self._rules.get(site)
        if rules is None:
            rules = RobotFileParser()
            status, _, body = self._get(f"{site}/robots.txt", end, 512 * 1024)
            if status >= 500:
                body = b"User-agent: *\nDisallow: /"
            elif status != 200:
                body = b""
            rules.parse(body.decode("utf-8", "replace").splitlines())
            with self._lock:
                self._rules[site] = rules
        return rules.can_fetch(USER_AGENT, url)

    def _get(self, url: str, end: float, size: int) -> tuple[int, Message, bytes]:
        try:
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise FetchError(f"expected an http or https address, got {url[:100]!r}")
            host = parts.hostname.encode("idna").decode()
            connection = self._connect(host, parts.port, parts.scheme == "https", end)
            path = quote(parts.path or "/", safe=UNQUOTED) + ("?" if parts.query else "")
            return _answer(connection, path + quote(parts.query, safe=UNQUOTED), end, size)
        except TimeoutError as error:
            raise FetchError(f"no answer within {self._seconds:g} s") from error
        except (OSError, HTTPException, ValueError) as error:
            raise FetchError(str(error) or type(error).__name__) from error

    def _connect(self, host: str, port: int | None, encrypted: bool, end: float) -> HTTPConnection:
        port = port or (443 if encrypted else 80)
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
        refused = [address for address in addresses if not self._admits(ip_address(address))]
        if refused:
            raise FetchError(f"{host} is not on the open Internet ({refused[0]})")
        connection = HTTPConnection(host, port)
        connection.default_port = 443 if encrypted else 80  # which the header Host leaves out
        plain = socket.create_connection((addresses[0], port), timeout=_left(end))
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host) if encrypted else plain
        return connection


def _answer(connection: HTTPConnection, path: str, end: float, size: int) -> tuple[int, Message, bytes]:
    """Ask, and give up in time even if the server sends a byte now and then."""
    watch = Timer(_left(end), partial(connection.sock.shutdown, socket.SHUT_RDWR))
    watch.start()
    try:
        connection.request("GET", path, headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"})
        response = connection.getresponse()
        body = _body(response, size) if response.status == 200 else b""
        _left(end)
        return response.status, response.headers, body
    except (OSError, HTTPException):
        _left(end)  # it was we who hung up
        raise
    finally:
        watch.cancel()
        connection.close()


def _body(response: HTTPResponse, size: int) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise FetchError("the server sent a compressed response that was not asked for")
    body = response.read(size + 1)
    if len(body) > size:
        raise FetchError(f"larger than {size / 2**20:g} MiB")
    if response.length:
        raise FetchError("the connection closed before the page was complete")
    return body


def _left(end: float) -> float:
    """Seconds that are left.

    Raises:
        TimeoutError: none is.
    """
    left = end - monotonic()
    if left <= 0:
        raise TimeoutError
    return left
