"""``factgraph serve`` once its port is bound: answer until SIGINT or SIGTERM.

uvicorn bounds the connections and the size of a request's head. It has no timeout for a request that never arrives
completely, nor for a response that is never read: the proxy in front has those (docs/service.md).
"""

import socket
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from system.app.commands.common import load_checker
from system.app.service.access import ServeOptions
from system.app.service.app import create_app
from system.settings import Settings

CONNECTIONS = 256  # at the same time, streams of events included; a request on one more gets status 503
KEEP_ALIVE = 30  # seconds that a connection may stay idle between two requests
HEAD = 16 * 1024  # bytes of a request's address and headers
GOODBYE = 2  # seconds that open connections have when the service stops


def listen(options: ServeOptions, settings: Settings, token: str, bound: socket.socket) -> None:
    """Load the engine, print where the service is, and serve claims and texts.

    Args:
        token: empty if only this machine reaches the service.
    """
    app = create_app(load_checker(settings), options, token)
    shown = f"[{options.host}]" if ":" in options.host else options.host
    who = "with a token" if token else "this machine only"
    print(f"http://{shown}:{bound.getsockname()[1]}/ ({who})", flush=True)
    with suppress(KeyboardInterrupt):  # which uvicorn raises again once it has stopped
        uvicorn.Server(configured(app)).run(sockets=[bound])


def configured(app: ASGIApp, connections: int = CONNECTIONS) -> uvicorn.Config:
    """Return uvicorn's configuration for an application."""
    return uvicorn.Config(
        app,
        http="h11",  # the one that bounds a request's head
        ws="none",  # no address speaks it, and uvicorn keeps the connections that ask for it open
        limit_concurrency=connections,
        timeout_keep_alive=KEEP_ALIVE,
        h11_max_incomplete_event_size=HEAD,
        timeout_graceful_shutdown=GOODBYE,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
    )
