"""Middleware that refuses a request before its body is read, and a limit on bodies of unannounced length.

Connections are bounded by uvicorn (``listening.configured``). Time limits per request, and limits per client, belong
to the proxy in front; docs/service.md has the lines for Caddy and nginx.
"""

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from system.app.service.access import is_loopback

OPEN_PATHS = {"/", "/text", "/docs", "/openapi.json", "/healthz"}  # without user data: the page asks for the token
TOO_LARGE = "the body is too large; send fewer or shorter documents"
NO_TOKEN = "this request needs the header 'Authorization: Bearer TOKEN' with the service's token"
NOT_LOCAL = "this service accepts requests from its own machine only; use 127.0.0.1"


class Guard:
    """Refuse requests without the token; without one, requests that name another host than this machine.

    The host name matters because a web page could otherwise reach the service through its visitor's browser, by a name
    of its own that resolves to 127.0.0.1 (DNS rebinding).

    Args:
        token: expected as ``Authorization: Bearer TOKEN``; empty if only this machine reaches the service.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 400 or 401."""
        headers = Headers(scope=scope) if scope["type"] == "http" else None
        if headers is None or (self._token and scope["path"] in OPEN_PATHS):
            await self._app(scope, receive, send)
        elif self._token and not self._has_token(headers):
            await JSONResponse({"detail": NO_TOKEN}, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
        elif not self._token and not is_local_name(headers.get("host", "")):
            await JSONResponse({"detail": NOT_LOCAL}, 400)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), self._token)


def is_local_name(host: str) -> bool:
    """Return whether a Host header names this machine.

    >>> is_local_name("localhost:8000"), is_local_name("[::1]"), is_local_name("evil.example"), is_local_name("::1")
    (True, True, False, False)
    """
    try:
        return "@" not in host and is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


class BodyLimit:
    """Refuse bodies above a size, by their announced length and again as they are read."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 413."""
        announced = Headers(scope=scope).get("content-length", "0") if scope["type"] == "http" else "0"
        if not (announced.isdecimal() and len(announced) < 20 and int(announced) <= self._most):
            await JSONResponse({"detail": TOO_LARGE}, 413)(scope, receive, send)
            return
        left = self._most

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, TOO_LARGE)
            return message

        await self._app(scope, counted, send)
