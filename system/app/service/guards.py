"""What the service refuses before it reads a body, and errors as clients read them: a sentence without internals.

uvicorn bounds the connections (``listening.configured``). Limits of time, and per client, belong to the proxy in front;
docs/service.md has the lines for Caddy and nginx.
"""

import hmac
from asyncio import CancelledError
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from system.app.service.access import is_loopback
from system.app.service.jobs import QueueFull, UnknownJob
from system.graph.records import ClaimsError, explain, roots

OPEN_PATHS = {"/", "/text", "/docs", "/openapi.json", "/healthz"}  # without user data: the page asks for the token
TOO_LARGE = "the body is too large; send fewer or shorter documents"
NO_TOKEN = "this request needs the header 'Authorization: Bearer TOKEN' with the service's token"
NOT_LOCAL = "this service accepts requests from its own machine only; use 127.0.0.1"
FAULT = "the service failed on this request; its log has the details"
STATUS: dict[type[Exception], int] = {
    ClaimsError: 422,  # what only its constructor finds, such as a claim of emphasis marks
    UnknownJob: 404,
    QueueFull: 429,
}


class Guard:
    """Refuse requests without the token; without one, requests that name another host than this machine.

    The host name matters because a web page could otherwise reach the service through its visitor's browser, by a name
    of its own that resolves to 127.0.0.1 (DNS rebinding).

    Args:
        token: expected as ``Authorization: Bearer TOKEN``; empty if only this machine reaches the service.
        most: bytes of a body, by its announced length and again as it is read.
    """

    def __init__(self, app: ASGIApp, token: str, most: int) -> None:
        self._app, self._token, self._most = app, token.encode(), most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 400, 401 or 413."""
        refusal = self._refusal(scope["path"], Headers(scope=scope)) if scope["type"] == "http" else None
        left = self._most

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, TOO_LARGE)
            return message

        with suppress(CancelledError):  # of a connection that is open when the service stops, which is no fault to log
            await (refusal or self._app)(scope, counted, send)

    def _refusal(self, path: str, headers: Headers) -> JSONResponse | None:
        if not self._token and not is_local_name(headers.get("host", "")):
            return JSONResponse({"detail": NOT_LOCAL}, 400)
        if self._token and path not in OPEN_PATHS and not self._has_token(headers):
            return JSONResponse({"detail": NO_TOKEN}, 401, {"WWW-Authenticate": "Bearer"})
        if int(headers.get("content-length", "0")) > self._most:
            return JSONResponse({"detail": TOO_LARGE}, 413)
        return None

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


def answer_errors(app: FastAPI) -> None:
    """Have the application answer every error with ``{"detail": "…"}``."""

    async def fault(*_: object) -> JSONResponse:  # the server logs its traceback
        return JSONResponse({"detail": FAULT}, 500)

    for kind in STATUS:
        app.add_exception_handler(kind, _named)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, fault)


async def _named(_: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, QueueFull) else {}
    return JSONResponse({"detail": str(error)}, STATUS[type(error)], headers)


async def _invalid(_: Request, error: Any) -> JSONResponse:
    faults = [{**fault, "loc": fault["loc"][1:]} for fault in roots(error.errors())]
    detail = "; ".join(explain(fault, "the request", quoting=False) for fault in faults)
    return JSONResponse({"detail": detail.encode("utf-8", "replace").decode()}, 422)  # a name may be half a surrogate
