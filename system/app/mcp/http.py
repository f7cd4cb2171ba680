"""The MCP server over HTTP, behind the same guards as the service."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from system.app.mcp.server import Server
from system.app.service.guards import CONNECTIONS, BearerToken, LocalNames, Sizes
from system.app.service.streams import FOLLOWS

PATH = "/mcp"


class EventStreams:
    """Tells the guard of connections which ones carry events; sessions and queue bound how many of these there are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and mark it once its answer proves to be such a stream."""

        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                kind = Headers(raw=message.get("headers", [])).get("content-type", "")
                if kind.startswith("text/event-stream"):
                    scope[FOLLOWS] = True
            await send(message)

        await self._app(scope, receive, mark)


def create_app(server: Server, body: int, token: str) -> Starlette:
    """The application.

    Args:
        body: maximum bytes of a request.
        token: that clients must send; empty where only this machine reaches the server.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=body,
        max_sessions=CONNECTIONS,
        # Our own guard knows all names of this machine; behind a token any name may be ours.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.router.redirect_slashes = False  # it would lead to the name and scheme that the request came with
    app.add_middleware(EventStreams)
    app.add_middleware(Sizes, most=body)
    if token:
        app.add_middleware(BearerToken, token=token)
    else:
        app.add_middleware(LocalNames)
    return app
