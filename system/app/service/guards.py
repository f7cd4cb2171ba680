"""What is kept out of the service: who has no token, other hosts' names, idle connections.

Others are refused before their body is read. uvicorn bounds how many connections there are, but waits for the first
request of each forever, so that idle ones could take all places: those whose request does not come are closed, and too
many of one address.
"""

import hmac
from asyncio import TimerHandle, Transport

import h11
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from system.app.service.access import is_loopback

OPEN_PATHS = {"/", "/docs", "/healthz"}  # hold nothing of anybody: the page asks for the token itself


class BearerToken:
    """Refuses requests without the token, before anything of their body is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

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
        given = Headers(scope=scope).get("authorization", "")
        return hmac.compare_digest(given.encode("latin-1"), self._expected)


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
        host = Headers(scope=scope).get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return is_loopback(name.strip("[]"))


CONNECTIONS = 256  # at the same time; one more is answered 503
REQUEST_SECONDS = 30.0  # for a whole request, its body included, to arrive
PER_ADDRESS = 64  # connections of one address


def bounded(seconds: float = REQUEST_SECONDS, per_address: int = PER_ADDRESS) -> type[H11Protocol]:
    """A protocol for one server (``uvicorn.Config(http=...)``).

    Args:
        seconds: for a request to arrive, from the connection or the response before it.
        per_address: connections of one address; for one more, the oldest of them that waits for a request is closed,
            and the new one itself if all are at work.
    """
    of_address: dict[str, list[_Bounded]] = {}

    class Bounded(_Bounded):
        limits = (seconds, per_address)
        peers = of_address

    return Bounded


class _Bounded(H11Protocol):
    limits: tuple[float, int]
    peers: dict[str, list["_Bounded"]]
    timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        mine = self.peers.setdefault(self.address, [])
        mine.append(self)
        self.await_request()
        still_open = [one for one in mine if not one.transport.is_closing()]
        if len(still_open) > self.limits[1]:
            next((one for one in still_open[:-1] if one.waits()), self).transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_timer()
        mine = self.peers[self.address]
        mine.remove(self)
        if not mine:
            del self.peers[self.address]
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.await_request()

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    def waits(self) -> bool:
        """Whether the client has not sent a whole request since the last response."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def await_request(self) -> None:
        self.stop_timer()
        self.timer = self.loop.call_later(self.limits[0], self.give_up)

    def give_up(self) -> None:
        if self.waits():
            self.transport.close()

    def stop_timer(self) -> None:
        if self.timer:
            self.timer.cancel()
