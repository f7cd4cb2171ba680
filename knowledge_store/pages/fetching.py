"""Fetch pages from the web, within limits, and never from this machine's own network.

httpcore2 speaks HTTP over connections that are opened here: to an address that was checked, so that a name cannot point
elsewhere a moment later. Each redirect is checked like the first address, and each read ends at the page's deadline.
Example: ``Fetcher().fetch("https://a.example")``.
"""

import re
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from ssl import SSLContext
from threading import Thread
from time import monotonic
from typing import Any

import httpx2
from httpcore2 import ConnectionPool, NetworkError, NetworkStream, ProtocolError, SyncBackend, TimeoutException

from knowledge_store.isolation import Limits, WorkFailed, isolated
from knowledge_store.pages.formats import suffix_of

USER_AGENT = "got-factcheck"
SECONDS = 15.0  # for a page, redirects included
SIZE = 20 * 2**20  # bytes of a page
MAX_REDIRECTS = 5
MAX_HEAD = 256 * 1024  # bytes before the body, interim answers included
MAX_CHUNKS = 100_000  # of a body
MAX_ROBOTS = 512 * 1024  # bytes of a robots.txt that are obeyed (RFC 9309: at least 500 KiB)
ROBOTS = Limits(seconds=2.0)
ASKED: dict[bytes | str, bytes | str] = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Connection": "close"}
SUFFIX_OF = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
}
CONTENT_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+\s*(;|$)", re.ASCII)  # valid (RFC 9110)

Address = IPv4Address | IPv6Address
Admits = Callable[[Address], bool]


class FetchError(WorkFailed):
    """A page is not fetched; the message says why, ``status`` is that of the server's answer, or 0."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Response:
    """The answer of an address: where it was after redirects, and the suffix of a file of its type."""

    url: str
    suffix: str
    body: bytes


_REACHABLE = ip_network("2000::/3")  # all that is allocated as global unicast (RFC 4291)
_NAT64 = ip_network("64:ff9b::/96")
# Protocol assignments, 6to4, documentation, and Azure's platform, which gives any of its machines their certificates;
# ``is_global`` takes some of these addresses for public.
_REFUSED = [*map(ip_network, (
    "192.0.0.0/24", "2001::/23", "192.88.99.0/24", "2002::/16", "2001:db8::/32", "3fff::/20", "168.63.129.16/32",
))]  # fmt: skip


def is_public(address: Address) -> bool:
    """Whether an address lies on the open Internet, also if it is written as IPv6 around IPv4.

    >>> [is_public(ip_address(text)) for text in ("1.1.1.1", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped or address in _NAT64:
            return is_public(IPv4Address(address.packed[12:]))
        if address not in _REACHABLE:
            return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _REFUSED)


class Fetcher:
    """Fetches pages over HTTP and HTTPS. Threads may share it.

    ``robots``: obey robots.txt, as what follows search results must; ``admits``: whether to connect to an address.
    """

    def __init__(
        self, seconds: float = SECONDS, size: int = SIZE, *, robots: bool = False, admits: Admits = is_public
    ) -> None:
        self._seconds, self._size, self._robots, self._admits = seconds, size, robots, admits
        self._rules: dict[httpx2.URL, bytes] = {}  # by site

    def fetch(self, url: str, kinds: Mapping[str, str] = SUFFIX_OF) -> Response:
        """Fetch a page of one of some content types, given with the suffix of each; raises a ``FetchError``."""
        end = monotonic() + self._seconds
        try:
            asked = httpx2.URL(url)
            found, status, headers, body = self._follow(asked, end, self._size, checked=self._robots)
        except (TimeoutError, TimeoutException) as error:
            raise FetchError(f"no answer within {self._seconds:g} s") from error
        except ProtocolError as error:
            raise FetchError(_in_words(str(error))) from error
        except (OSError, NetworkError, ValueError, httpx2.InvalidURL) as error:
            raise FetchError(str(error) or type(error).__name__) from error
        if status != 200:
            raise FetchError(f"the server answers {status}", status)
        given = headers.get("content-type", "").strip()
        if CONTENT_TYPE.match(given):
            kind = given.partition(";")[0].strip().lower()
            suffix = kinds.get(kind, "")
        else:  # the bytes tell the type
            suffix = suffix_of(body)
            kind = f"{suffix} without a content type"
        if suffix not in kinds.values():
            raise FetchError(f"expected {' or '.join(kinds)}, got {kind}")
        if len(body) > self._size:
            raise FetchError(f"larger than {self._size / 2**20:g} MiB")
        return Response(url if found == asked else str(found), suffix, body)

    def _follow(
        self, url: httpx2.URL, end: float, size: int, *, checked: bool
    ) -> tuple[httpx2.URL, int, httpx2.Headers, bytes]:
        """Get the address, status, headers and body at the end of the redirects."""
        for _ in range(MAX_REDIRECTS + 1):
            if url.scheme not in ("http", "https") or not url.host:
                raise FetchError(f"expected an http or https address, got {str(url)[:100]!r}")
            if checked and not self._may(url, end):
                raise FetchError("robots.txt forbids it")
            status, headers, body = self._get(url, end, size)
            if status not in (301, 302, 303, 307, 308):
                return url, status, headers, body
            url = url.join(headers.get("location", ""))
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    def _may(self, url: httpx2.URL, end: float) -> bool:
        """Whether robots.txt allows the page (RFC 9309): a missing one allows all, a server error nothing."""
        site = url.join("/robots.txt")
        rules = self._rules.get(site)
        if rules is None:
            _, status, _, rules = self._follow(site, end, MAX_ROBOTS, checked=False)
            if status != 200:
                rules = b"User-agent: *\nDisallow: /" if status >= 500 else b""
            self._rules[site] = rules
        limits = replace(ROBOTS, until=end)
        try:
            return not rules or isolated(limits, _allows, rules[:MAX_ROBOTS], str(url), load=(__name__, "protego"))
        except WorkFailed as error:
            raise FetchError(f"robots.txt cannot be read ({error})") from error

    def _get(self, url: httpx2.URL, end: float, size: int) -> tuple[int, httpx2.Headers, bytes]:
        """Get one answer, and its body or a little more than ``size`` bytes of it."""
        connection, body = _Connection(self._admits, end), bytearray()
        with ConnectionPool(network_backend=connection) as pool, pool.stream("GET", str(url), headers=ASKED) as answer:
            connection.in_head = False
            headers = httpx2.Headers(answer.headers)
            if answer.status != 200:
                return answer.status, headers, b""
            if headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
                raise FetchError("the server sent a compressed response that was not asked for")
            for number, chunk in enumerate(answer.iter_stream()):
                body += chunk
                if len(body) > size:
                    break
                if number >= MAX_CHUNKS:
                    raise FetchError(f"the server's answer has over {MAX_CHUNKS:,} chunks")
            return answer.status, headers, bytes(body)


class _Connection(SyncBackend, NetworkStream):
    """Connects to an admitted address, and ends each of its operations at a deadline; for one answer."""

    def __init__(self, admits: Admits, end: float) -> None:
        self._admits, self._end = admits, end
        self.in_head, self._got = True, 0  # whether the body has not begun; bytes read
        self._stream = NetworkStream()

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> NetworkStream:
        """Resolve the host, check all its addresses, and connect to the first."""
        addresses = self._resolved(host, port)
        for address in addresses:
            if not self._admits(ip_address(address)):
                raise FetchError(f"{host} is not on the open Internet ({address})")
        self._stream = super().connect_tcp(addresses[0], port, self._left())
        return self

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: Any = None
    ) -> NetworkStream:
        left = max(0.001, self._end - monotonic())  # never an error of ours, after which nobody closes the socket
        self._stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return self

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._left())
        self._got += len(data)
        if self.in_head and self._got > MAX_HEAD:
            raise FetchError(f"the server's answer has over {MAX_HEAD // 1024} KiB of headers")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._left())

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _resolved(self, host: str, port: int) -> list[str]:
        """Resolve a host in a thread, because the resolver has no timeout."""
        found: Future[list[str]] = Future()

        def resolve() -> None:
            try:
                entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
                found.set_result([str(entry[4][0]).partition("%")[0] for entry in entries])
            except (OSError, UnicodeError) as error:
                found.set_exception(error)

        Thread(target=resolve, daemon=True).start()
        return found.result(self._left())

    def _left(self) -> float:
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _in_words(error: str) -> str:
    if "incomplete chunked read" in error or "complete message body" in error:
        return "the connection closed before the page was complete"
    return "the server closed the connection" if "disconnected" in error else "the server's answer is no HTTP"


def _allows(rules: bytes, url: str) -> bool:
    """Whether a robots.txt allows a page; runs in a worker."""
    from protego import Protego

    return bool(Protego.parse(rules.decode("utf-8-sig", "replace")).can_fetch(url, USER_AGENT))
