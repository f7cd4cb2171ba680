"""Guards of the service, against clients without a token, other hosts' names, and idle connections.

Others are refused before their body is read. uvicorn bounds how many connections there are, but waits for the first
request of each forever, and for each response to be read, so that idle ones could take all places: those whose request
does not come, or whose response is not read, are closed, and too many of one address.
"""

import hmac
import re
import sys
from asyncio import TimerHandle, Transport
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

import h11
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from system.app.service.access import is_loopback
from system.app.service.streams import FOLLOWS

OPEN_PATHS = {"/", "/text", "/docs", "/healthz"}  # hold nothing of anybody: the page asks for the token itself


class BearerToken:
    """Refuses requests without the token, before anything of their body is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 401."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS or self._is_known(scope):
            return await self._app(scope, receive, send)
        refusal = JSONResponse(
            {"detail": "this request needs the header 'Authorization: Bearer TOKEN' with the service's token"},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        return await refusal(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), self._token)


class LocalNames:
    """Refuses requests that name another host than this machine.

    Without a token a web page could otherwise reach the service through its visitor's browser, by a name of its own
    that it lets point at 127.0.0.1 (DNS rebinding).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 400."""
        if scope["type"] != "http" or self._is_local(scope):
            return await self._app(scope, receive, send)
        refusal = JSONResponse(
            {"detail": "this service accepts requests from its own machine only; use 127.0.0.1"}, status_code=400
        )
        return await refusal(scope, receive, send)

    def _is_local(self, scope: Scope) -> bool:
        host = _HOST.fullmatch(Headers(scope=scope).get("host", ""))
        return host is not None and is_loopback(host["name"] or host["six"]) and int(host["port"] or 0) < 2**16


_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)\]|(?P<name>[0-9A-Za-z.-]+))(?::(?P<port>[0-9]{1,5}))?")


class Sizes:
    """Refuses requests whose address, headers or announced body are too large; the framework counts other bodies."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 413, 414 or 431."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        size = Headers(scope=scope).get("content-length", "0")
        if len(scope["raw_path"]) + len(scope["query_string"]) > HEAD:
            refusal = JSONResponse({"detail": LONG_HEAD}, status_code=414)
        elif sum(len(name) + len(value) for name, value in scope["headers"]) > HEAD:
            refusal = JSONResponse({"detail": LONG_HEAD}, status_code=431)
        elif not (size.isascii() and size.isdigit() and len(size) < 20 and int(size) <= self._most):
            refusal = JSONResponse({"detail": TOO_LARGE}, status_code=413)
        else:
            return await self._app(scope, receive, send)
        return await refusal(scope, receive, send)


HEAD = 16 * 1024  # bytes of a request's address, and of its headers

TOO_LARGE = "the body is too large; send fewer or shorter documents"
LONG_HEAD = f"the request's address or headers are too long; expected at most {HEAD:,} bytes of each"
MALFORMED = "expected a request in plain HTTP/1.1: with one Host, and a body as long as announced or in valid chunks"

CONNECTIONS = 256  # at the same time, those left out that follow a claim (see ``streams``)
IDLE_SECONDS = 30.0  # for a whole request, its body included, to arrive, and for what is sent to be read
PER_ADDRESS = 64  # connections of one address


@dataclass(frozen=True)
class Bounds:
    """The limits of one server.

    Attributes:
        seconds: for a request to arrive, from the connection or the response before it, and for a response to be read.
        per_address: connections of one address.
        most: connections of all addresses.
        proxies: addresses that many clients share, to which ``per_address`` does not apply.
    """

    seconds: float = IDLE_SECONDS
    per_address: int = PER_ADDRESS
    most: int = CONNECTIONS
    proxies: Container[str] = ()


def trusted(proxies: str) -> Container[str]:
    """The addresses and networks of proxies, comma-separated, as uvicorn reads them for ``X-Forwarded-For``.

    >>> "10.0.0.7" in trusted("127.0.0.1, 10.0.0.0/8"), "11.0.0.7" in trusted("10.0.0.0/8"), "" in trusted("")
    (True, False, False)
    """
    return cast(Container[str], ProxyHeadersMiddleware(cast(Any, None), proxies).trusted_hosts) if proxies else ()


USUAL = Bounds()


def bounded(bounds: Bounds) -> type[H11Protocol]:
    """A protocol for one server (``uvicorn.Config(http=...)``).

    For a connection too many, the oldest that waits for a request is closed, or else the oldest whose client does not
    read: of the same address, or of the one that has most; the new one itself if all of these are at work.
    """
    everybody: dict[_Bounded, None] = {}

    class Bounded(_Bounded):
        granted = bounds
        peers = everybody

    return Bounded


class _Bounded(H11Protocol):
    granted: Bounds
    peers: dict["_Bounded", None]  # oldest first
    timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # writing is paused as long as the client has something to read
        self.peers[self] = None
        self.allow_time()
        self.make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_timer()
        self.peers.pop(self, None)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.allow_time()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.allow_time()

    def send_400_response(self, msg: str) -> None:
        """What uvicorn answers while it handles an error of h11, which has a better status for some."""
        status = getattr(sys.exception(), "error_status_hint", 400)
        self.refuse(status, LONG_HEAD if status == 431 else MALFORMED)

    def refuse(self, status: int, detail: str) -> None:
        """End the connection, with an error if no response has begun."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = JSONResponse({"detail": detail}).body
            self.transport.write(
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
                + bytes(body)
            )
        if self.cycle:
            self.cycle.disconnected = True  # the application may be at work on the request, and must not answer it too
        self.transport.close()

    def make_room(self) -> None:
        counted = [one for one in self.peers if not one.follows()]
        of_address = Counter(one.address for one in counted)
        if self.address not in self.granted.proxies and of_address[self.address] > self.granted.per_address:
            crowd = self.address
        elif len(counted) > self.granted.most:
            crowd = of_address.most_common(1)[0][0]
        else:
            return
        idle = (one for one in counted if one.address == crowd and one.is_idle() and one is not self)
        min(idle, key=_Bounded.stalls, default=self).drop()

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    def waits(self) -> bool:
        """Whether the client has not sent a whole request since the last response."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def stalls(self) -> bool:
        """Whether the client has not read all that was sent."""
        return self.flow.write_paused

    def is_idle(self) -> bool:
        return self.waits() or self.stalls() or self.transport.is_closing()

    def follows(self) -> bool:
        """Whether it is being answered by a stream of events."""
        return not self.waits() and self.scope is not None and FOLLOWS in self.scope

    def allow_time(self) -> None:
        """Let the client read what was sent, or send a request, from now on."""
        self.stop_timer()
        self.timer = self.loop.call_later(self.granted.seconds, self.give_up)

    def give_up(self) -> None:
        if self.stalls():
            self.drop()
        elif self.waits() and (self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]):
            self.refuse(408, f"expected the whole request within {self.granted.seconds:g} seconds")
        elif self.waits():
            self.transport.close()

    def drop(self) -> None:
        self.peers.pop(self, None)  # here, since the loop tells of the loss later
        self.transport.abort()  # closing would wait until the client has read all

    def stop_timer(self) -> None:
        if self.timer:
            self.timer.cancel()
