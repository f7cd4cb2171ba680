"""The MCP server over HTTP, behind the same guard as the service."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from system.app.mcp.server import Server
from system.app.service.answering import CONNECTIONS
from system.app.service.guards import Guard

PATH = "/mcp"


def create_app(server: Server, body: int, token: str) -> Starlette:
    """Make the application.

    Args:
        body: maximum bytes of a request.
        token: that clients must send; empty if only this machine reaches the server.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=body,
        max_sessions=CONNECTIONS,
        # The guard knows all names of this machine; with a token, any name may be this one's.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.router.redirect_slashes = False  # it would lead to the host and scheme that the request names
    app.add_middleware(Guard, token=token)
    return app
