"""What stands before the application: requests that nobody may make are refused before their body is read."""

import hmac

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

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
            {"detail": "this needs the header 'Authorization: Bearer TOKEN' with the service's token"},
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
        refusal = JSONResponse({"detail": "this service answers to its own machine; use 127.0.0.1"}, status_code=400)
        return await refusal(scope, receive, send)

    def _is_local(self, scope: Scope) -> bool:
        host = Headers(scope=scope).get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return is_loopback(name.strip("[]"))
