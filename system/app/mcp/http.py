"""The MCP server over HTTP, behind the same guards as the service."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from system.app.mcp.server import Server
from system.app.service.guards import CONNECTIONS, AnnouncedSize, BearerToken, LocalNames

PATH = "/mcp"


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
    app.add_middleware(AnnouncedSize, most=body)
    if token:
        app.add_middleware(BearerToken, token=token)
    else:
        app.add_middleware(LocalNames)
    return app
